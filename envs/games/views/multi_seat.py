"""The base of the multi-agent environments: seats by name, their spaces, one generator."""

from copy import deepcopy
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from zerogym.envs.games.core.game import Game, find_game
from zerogym.envs.games.core.render import MODES, picture
from zerogym.envs.games.core.seat_views import (
    View,
    action_space,
    check_max_retries,
    check_view,
    seat_space,
)

MatchT = TypeVar("MatchT")


class GameSeats(Generic[MatchT]):
    """Base of the multi-agent environments, to stand before PettingZoo's class.

    Args:
        game: The rules, or their name.
        view: `numeric` or `text`.
        max_retries: Further replies after one without a legal move.
        render_mode: None, `ansi` or `rgb_array`.
        parameters: Fields of the rules, where `game` is a name.
    """

    snapshot: ClassVar[tuple[str, ...]] = ("agents", "_match")  # attributes that a game changes

    def __init__(
        self,
        game: str | Game[Any],
        view: View = "numeric",
        max_retries: int = 2,
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self.game = game = find_game(game, **parameters)
        self.metadata: dict[str, Any] = {
            "name": f"zerogym/{game.name}-v0",
            "render_modes": list(MODES["render_modes"]),
            "is_parallelizable": False,
        }
        if render_mode is not None and render_mode not in MODES["render_modes"]:
            modes = MODES["render_modes"]
            raise ValueError(f"render_mode must be None or one of {modes}, got {render_mode!r}")
        self.render_mode = render_mode
        self.view = check_view("view", view)
        self.max_retries = check_max_retries(max_retries)
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_seats)]
        self.agents: list[str] = []
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: seat_space(game, self.view) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: action_space(game, self.view) for agent in self.possible_agents
        }
        roles = {agent: game.role(seat) for seat, agent in enumerate(self.possible_agents)}
        self._roles = {agent: {"role": role} if role else {} for agent, role in roles.items()}
        self._has_facts = type(game).facts is not Game.facts
        self._match: MatchT | None = None
        self._rng: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of a seat, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of a seat, always the same object."""
        return self.action_spaces[agent]

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the game, the bookkeeping of its seats and the generator."""
        self._running()
        kept = {name: deepcopy(getattr(self, name)) for name in self.snapshot}
        return {"attributes": kept, "rng": deepcopy(self._generator().bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        for name, value in state["attributes"].items():
            setattr(self, name, deepcopy(value))
        self._generator().bit_generator.state = deepcopy(state["rng"])

    def render(self) -> Any:
        """The view of who is to move, in words; or a picture, as uint8 (height, width, 3)."""
        match: Any = self._match
        if self.render_mode is None or match is None:
            return None
        if self.render_mode == "rgb_array":
            mover = getattr(self, "agent_selection", self.possible_agents[0])
            seat = self.possible_agents.index(mover)
            return picture(self.game, match.state, self._words, seat)
        return self._words()

    def _words(self) -> str:
        """The text that `render` shows."""
        raise NotImplementedError

    def close(self) -> None:
        """There is nothing to free."""

    def _infos(self, state: Any) -> dict[str, dict[str, Any]]:
        """The info of each seat before its first move: its turn, and its role where it has one."""
        infos: dict[str, dict[str, Any]] = {}
        for seat, (agent, role) in enumerate(self._roles.items()):
            facts = self.game.facts(state, seat)
            infos[agent] = {"turn": 0, "void_turn": False, **role, **facts}
        return infos

    def _generator(self, seed: int | None = None) -> np.random.Generator:
        """The generator of all chance: a new one for a seed, else the one before."""
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        return self._rng

    def _running(self) -> MatchT:
        """The game, which may be over.

        Raises:
            ResetNeeded: If there is none.
        """
        if self._match is None:
            raise ResetNeeded(f"{self}: call reset() first")
        return self._match

    def _playing(self) -> MatchT:
        """The game, in which somebody is still to act.

        Raises:
            ResetNeeded: If there is none.
            RuntimeError: If it is over.
        """
        match = self._running()
        if not self.agents:
            raise RuntimeError(f"{self}: the game is over, call reset()")
        return match
