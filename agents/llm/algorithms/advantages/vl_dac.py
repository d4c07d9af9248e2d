""" "VL-DAC: the policy is trained on tokens, the values on turns."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import advantage
from zerogym.agents.llm.algorithms.advantages.gae import Gae
from zerogym.agents.llm.algorithms.batch import Places, Sample


@advantage("vl_dac")
@dataclass(frozen=True)
class VlDac(Gae):
    """Value the state before a turn, and give all tokens of the turn the turn's advantage.

    Generalised advantage estimation with a turn as the step, whitened over the turns. The gradient
    of the values ends at their head. With one token a turn it is `gae` but for that. Left out:
    steps that train the values alone at first.
    """

    source = (
        "Enhancing Vision-Language Model Training with Reinforcement Learning in Synthetic Worlds "
        "for Real-World Success (2025, arXiv 2508.04280)"
    )
    detached = True

    gamma: float = 0.99  # discount per turn, in [0, 1]; as the authors' code
    gae_lambda: float = 0.95  # bias-variance trade-off, in [0, 1]; as the authors' code

    def steps(self, sample: Sample) -> Places:
        """Return the first own token of each turn (S,)."""
        return np.flatnonzero(np.diff(sample.turns, prepend=-1))
