"""Decision transformer: imitation given the return that is still to come."""

from dataclasses import dataclass

from zerogym.agents.offline.method import SequenceMethod, method


@method("decision_transformer")
@dataclass(frozen=True)
class DecisionTransformerMethod(SequenceMethod):
    """Decision transformer: imitation of actions given the return that is still to come.

    A causal transformer reads the last steps of (return to go, observation, action). It acts
    towards a target return, which rewards are taken off as they come. Discrete actions have the
    cross-entropy, continuous ones the squared error (`sequences/decision_transformer.py`).
    """

    source = (
        '"Decision Transformer: Reinforcement Learning via Sequence Modeling" '
        "(2021, arXiv 2106.01345)"
    )
