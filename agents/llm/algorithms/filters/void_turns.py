"""SimpleTIR: episodes with a void turn are not trained on."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.episode_tables import Filter, Groups, episode_filter


@episode_filter("void_turns")
@dataclass(frozen=True)
class VoidTurns(Filter):
    """Drop episodes with a void turn: a reply in which the task found neither a call nor an answer.

    Such replies are of low probability mostly, after results of tools that no training text looks
    like, and their gradients are large. What remains is trained on as if the others had not been
    played; the authors' code masks them and keeps their rewards in the advantages (our choice).
    """

    source = (
        "SimpleTIR: End-to-End Reinforcement Learning for Multi-Turn Tool-Integrated Reasoning "
        "(2025, arXiv 2509.02479)"
    )

    def __call__(self, groups: Groups, rng: np.random.Generator) -> list[list[bool]]:
        """Return whether no turn of an episode has `void_turn` in its info."""
        return [
            [not any(turn.info.get("void_turn", False) for turn in item.turns) for item in group]
            for group in groups
        ]
