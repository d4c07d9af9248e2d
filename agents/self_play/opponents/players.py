"""Opponents that any environment can make: chance, rules of thumb, solvers, searches, models."""

from dataclasses import dataclass, replace
from typing import Any

from zerogym.agents.self_play.opponents.table import Opponent, opponent
from zerogym.agents.settings import check_above, check_at_least
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.errors import UnknownName


@opponent("random")
@dataclass(frozen=True)
class Random(Opponent):
    """Draw from all legal actions, each as likely as the others."""

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, "random")


@opponent("scripted")
@dataclass(frozen=True)
class Scripted(Opponent):
    """Follow the rule of thumb of the game, whose strength its page states."""

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, "scripted")


@opponent("minimax")
@dataclass(frozen=True)
class Minimax(Opponent):
    """Search the whole game: perfect play where nothing is hidden."""

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, "minimax")


@opponent("cfr")
@dataclass(frozen=True)
class Cfr(Opponent):
    """Play an equilibrium of a game with hidden information."""

    source = (
        '"Solving Large Imperfect Information Games Using CFR+" (Tammelin, 2014, arXiv 1407.5042)'
    )

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, "cfr")


@opponent("optimal")
@dataclass(frozen=True)
class Optimal(Opponent):
    """Play the solution of the game: minimax where nothing is hidden, else an equilibrium."""

    def __call__(self, game: Game[Any]) -> Any:
        known = opponent_names(game)
        solved = [name for name in ("minimax", "cfr") if name in known]
        if not solved:
            raise UnknownName(f"opponent for {game.name}", "optimal", list(known))
        return make_opponent(game, solved[0])


@opponent("mcts")
@dataclass(frozen=True)
class Mcts(Opponent):
    """Search by random continuations, over what the seat cannot tell apart."""

    source = '"Bandit Based Monte-Carlo Planning" (Kocsis and Szepesvári, 2006)'
    simulations: int = 100  # continuations for each move
    exploration: float = 0.7  # the constant of UCB1, for payoffs scaled to [0, 1]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, simulations=1, exploration=0)

    def __call__(self, game: Game[Any]) -> Any:
        return MCTS(game, self.simulations, self.exploration)


@opponent("past")
@dataclass(frozen=True)
class Past(Opponent):
    """Draw one of the strategies, networks and language models of a folder for each episode."""

    folder: str = "runs/grpo"  # of a run, of its checkpoints, or of files of `save_selves`

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, f"past:{self.folder}")


@opponent("llm")
@dataclass(frozen=True)
class LanguageModel(Opponent):
    """Reply by a language model that does not change."""

    model: str = "tiny"  # a name of load_generator, a server, or the folder of a run
    temperature: float | None = None  # of its replies; None: that of its training, else 1
    max_new_tokens: int | None = None  # of a reply; None: as in its training, else 48

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.temperature is not None:
            check_at_least(self, temperature=0)
        if self.max_new_tokens is not None:
            check_above(self, max_new_tokens=0)

    def __call__(self, game: Game[Any]) -> Any:
        found = make_opponent(game, f"llm:{self.model}")
        given = {
            name: value
            for name in ("temperature", "max_new_tokens")
            if (value := getattr(self, name)) is not None
        }
        player: Any = found
        return replace(player, sampling=replace(player.sampling, **given)) if given else player


@opponent("ppo")
@dataclass(frozen=True)
class Ppo(Opponent):
    """Play by a network of `zerogym.agents.baselines.game_ppo` from its file."""

    file: str = "ppo.npz"  # what `save_ppo` wrote

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, f"ppo:{self.file}")


@opponent("named")
@dataclass(frozen=True)
class Named(Opponent):
    """Take any name that environments take, those of installed packages included."""

    name: str = "random"  # as in `opponent=`: mcts:50, past:FOLDER, random+scripted, ...

    def __call__(self, game: Game[Any]) -> Any:
        return make_opponent(game, self.name)
