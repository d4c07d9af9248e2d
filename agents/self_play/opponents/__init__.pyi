from .earlier_selves import Learner, PastSelves, Start
from .mixture import Mixture
from .players import (
    Cfr,
    LanguageModel,
    Mcts,
    Minimax,
    Named,
    Optimal,
    Past,
    Ppo,
    Random,
    Scripted,
)
from .table import OPPONENTS, Opponent, opponent

__all__ = [
    "OPPONENTS",
    "Cfr",
    "LanguageModel",
    "Learner",
    "Mcts",
    "Minimax",
    "Mixture",
    "Named",
    "Opponent",
    "Optimal",
    "Past",
    "PastSelves",
    "Ppo",
    "Random",
    "Scripted",
    "Start",
    "opponent",
]
