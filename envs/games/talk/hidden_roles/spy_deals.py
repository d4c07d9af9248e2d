"""The deals of the spy game: its settings, the scenes, who is the spy, and who knows what of it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import equally_likely
from zerogym.envs.games.core.parameters import check_choice, check_number
from zerogym.envs.games.talk.core.rules import TalkGame, TalkState
from zerogym.envs.games.talk.hidden_roles.spy_rewards import REWARDS
from zerogym.envs.games.talk.hidden_roles.spy_scene import (
    COLOURS,
    PLACES,
    SHAPES,
    Kinds,
    Scene,
    drawing,
    others_of,
)


@dataclass(frozen=True)
class SpyDeals(TalkGame):
    """The part of the rules that is dealt: things at places, the spy, the things that it sees.

    Attributes:
        players: 3 to 6.
        rounds: Clues of each player, 1 to 3.
        places: Things of a scene, 1 to 4.
        colours: 1 to 4.
        shapes: 1 to 4; colours and shapes are not both 1.
        changes: Places in which the spy's scene differs; 0: it sees nothing.
        reward: `clues` or `votes`: which of the source's two rewards the game has.
        shared: Points that a vote moves between the spy and the others (beta), 0 to 1.
        single: Points that it moves from its target to all that are not the spy (lambda), 0 to 1.
    """

    players: int = 4
    rounds: int = 2
    places: int = 3
    colours: int = 3
    shapes: int = 3
    changes: int = 1
    reward: str = "clues"
    shared: float = 0.1
    single: float = 0.1

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        check_number("players", self.players, 3, 6)
        check_number("rounds", self.rounds, 1, 3)
        check_number("places", self.places, 1, len(PLACES))
        check_number("colours", self.colours, 1, len(COLOURS))
        check_number("shapes", self.shapes, 1, len(SHAPES))
        check_number("changes", self.changes, 0, self.places)
        check_choice("reward", self.reward, REWARDS)
        for name in ("shared", "single"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {value!r:.80}")
        if self.colours * self.shapes < 2:
            raise ValueError("colours and shapes must not both be 1: all things would be alike")

    @property
    def num_seats(self) -> int:
        """The players."""
        return self.players

    @cached_property
    def kinds(self) -> Kinds:
        """The scenes that there can be."""
        return Kinds(self.places, self.colours, self.shapes)

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The things, who is the spy, and the things that it sees."""
        things = (self.kinds.things,) * self.places
        return (*things, self.players, *(things if self.changes else ()))

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """A thing, the spy, or a thing of the spy's scene."""
        made = len(state.deals)
        if made == self.places:
            return equally_likely(tuple(range(self.players)))
        if made < self.places:
            return equally_likely(tuple(range(self.kinds.things)))
        scene, begun = state.deals[: self.places], state.deals[self.places + 1 :]
        return self.kinds.next_thing(scene, begun, self.changes)

    def spy(self, state: TalkState) -> int:
        """Return the seat of the spy; -1 before it is dealt."""
        return state.deals[self.places] if len(state.deals) > self.places else -1

    def scene(self, state: TalkState, seat: int) -> Scene | None:
        """Return what a seat sees; None for a spy that sees nothing."""
        if seat != self.spy(state):
            return state.deals[: self.places]
        return state.deals[self.places + 1 :] or None

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """The spy knows who it is and its own scene, the others the scene of all others."""
        return (seat == self.spy(state)) == (deal >= self.places)

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Another scene of the others, to the spy; to others another spy and scene of the spy."""
        if len(state.deals) < len(self.deal_sizes):
            return state.deals
        spy, scene = self.spy(state), self.scene(state, seat)
        if seat == spy and scene is None:
            things = rng.integers(self.kinds.things, size=self.places)
            return (*things.tolist(), spy)
        assert scene is not None
        alike = others_of(scene, self.kinds.things, self.changes)
        other = alike[int(rng.integers(len(alike)))]
        if seat == spy:
            return (*other, spy, *scene)
        who = (seat + 1 + int(rng.integers(self.players - 1))) % self.players
        return (*scene, who, *(other if self.changes else ()))

    def drawing(self, state: TalkState, seat: int) -> NDArray[np.uint8]:
        """Return the scene of a seat as pixels."""
        dealt = len(state.deals) == len(self.deal_sizes)
        return drawing((self.scene(state, seat) if dealt else None) or (), self.shapes)
