from .batched.games import make_batched
from .core.game import CHANCE, TERMINAL, Game, load_game, result_text, win_or_loss
from .solvers.minimax import solve
from .views.aec import GameAEC
from .views.parallel import GameParallel
from .views.single_seat import SingleSeatEnv

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Game",
    "GameAEC",
    "GameParallel",
    "SingleSeatEnv",
    "load_game",
    "make_batched",
    "result_text",
    "solve",
    "win_or_loss",
]
