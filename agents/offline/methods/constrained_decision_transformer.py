"""Constrained decision transformer: imitation given the return and the cost still to come."""

from dataclasses import dataclass
from typing import ClassVar

from zerogym.agents.offline.method import SequenceMethod, method


@method("constrained_decision_transformer")
@dataclass(frozen=True)
class ConstrainedDecisionTransformerMethod(SequenceMethod):
    """Constrained decision transformer: imitation given the return and the cost still to come.

    As the decision transformer, with the cost to go beside the return to go: it acts towards a
    target return within a budget of cost. The data need costs, `info["cost"]` of the world. Left
    out of the paper: its augmentation of data, its stochastic actor with an entropy, and the rise
    of the rate at the beginning.
    """

    source = (
        '"Constrained Decision Transformer for Offline Safe Reinforcement Learning" '
        "(2023, arXiv 2302.07351)"
    )

    constrained: ClassVar[bool] = True
