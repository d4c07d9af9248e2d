"""A mixture of opponents, one of which is drawn for each episode."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from zerogym.agents.self_play.opponents.players import Named
from zerogym.agents.self_play.opponents.table import OPPONENTS, Opponent, opponent
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.opponents.mixture import Mixture as Drawn
from zerogym.envs.games.opponents.registry import is_kind, split_names


@opponent("mixture")
@dataclass(frozen=True)
class Mixture(Opponent):
    """Meet one of several opponents, each as often as its weight says.

    `members` is `{NAME: WEIGHT}` with the names of parts or of `opponent=` (`mcts:50`), or
    `{LABEL: {"part": NAME, ...settings, "weight": WEIGHT}}`, with a weight of 1 by default.
    """

    members: Mapping[str, Any] = field(default_factory=lambda: {"random": 1.0})  # {NAME: WEIGHT}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._drawn(self.parts)  # refuses weights

    @cached_property
    def parts(self) -> tuple[Opponent, ...]:
        """The members as parts."""
        return tuple(_part(name, given) for name, given in self.members.items())

    @property
    def of_run(self) -> bool:  # type: ignore[override]
        """True if one of its members plays with weights of the run."""
        return any(part.of_run for part in self.parts)

    def __call__(self, game: Game[Any]) -> Any:
        players = self._drawn([part(game) for part in self.parts])
        return Drawn.flat(players.members, players.weights)

    def check(self, game: Game[Any]) -> None:
        """Raise what a member would raise."""
        for part in self.parts:
            part.check(game)

    def meet(self, step: int, rng: np.random.Generator) -> Any:
        """Draw a member, and return who is met of it."""
        return self.parts[self._drawn(self.parts).draw(rng)].meet(step, rng)

    def needs_weights(self, updates: int) -> bool:
        """Return whether one of its members needs them."""
        return any(part.needs_weights(updates) for part in self.parts)

    def _drawn(self, members: Any) -> Drawn:
        weights = [
            given.get("weight", 1.0) if isinstance(given, Mapping) else given
            for given in self.members.values()
        ]
        return Drawn(tuple(members), tuple(weights))


def _part(name: str, given: Any) -> Opponent:
    """Return a member as a part; a name that a file may hold imports nothing."""
    if isinstance(given, Mapping):
        return OPPONENTS.make({key: value for key, value in given.items() if key != "weight"})
    if len(split_names(name)) > 1 or (":" in name and is_kind(name.partition(":")[0])):
        return Named(name)
    return OPPONENTS.make({"part": name})
