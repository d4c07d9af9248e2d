"""A turn-based environment of PettingZoo as a function of a seed and moves.

Such an environment is one object that changes. The rules of our games are functions of a state; so
a state here is the seed and the moves so far, and the object is brought there: by the moves that
are new, or from its reset where another line was played last.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pettingzoo
from gymnasium import spaces
from pettingzoo.env_registry.exceptions import FailedToImport

from zerogym.errors import MissingExtra, UnknownName


class Played(NamedTuple):
    """A state: seed of the reset, None before it; and the moves since, as numbers from 0."""

    seed: int | None = None
    moves: tuple[int, ...] = ()


_NOWHERE = Played(-1)


def made_aec(env: Any, settings: Mapping[str, Any]) -> Any:
    """Return a new environment of a registered id, or of what makes one.

    Raises:
        UnknownName: If no such id is registered.
        MissingExtra: If a package that the id needs is not installed.
        TypeError: If `env` is neither, or makes something else.
        ValueError: If an agent has another action space than `Discrete`, or there is only one.
    """
    if isinstance(env, str):
        if env not in pettingzoo.aec_registry:  # `module:id` would import a module
            raise UnknownName("AEC environment", env, list(pettingzoo.aec_registry))
        try:
            aec: Any = pettingzoo.make("aec", env, **settings)
        except FailedToImport as error:
            raise MissingExtra(" ".join(str(error).split())) from None
    elif callable(env):
        aec = env(**settings)
    else:
        raise TypeError(f"env is an id, or what makes an AEC environment, got {env!r:.80}")
    if not callable(getattr(aec, "last", None)) or not hasattr(aec, "possible_agents"):
        raise TypeError(f"env makes no AEC environment of PettingZoo, but {aec!r:.80}")
    if len(aec.possible_agents) < 2:
        raise ValueError(f"{aec} has less than two agents")
    for agent in aec.possible_agents:
        if not isinstance(aec.action_space(agent), spaces.Discrete):
            raise ValueError(f"{agent} of {aec} acts in {aec.action_space(agent)}, not Discrete")
    return aec


class LiveGame:
    """An environment that is played, and where it is.

    Args:
        aec: The environment. It must be repeatable: the same seed and moves, the same game.

    Attributes:
        aec: The same.
        agents: Names of its agents; a seat is a place among them.
        counts: How many actions each has.
    """

    def __init__(self, aec: Any) -> None:
        self.aec = aec
        self.agents: list[Any] = list(aec.possible_agents)
        acts = [aec.action_space(agent) for agent in self.agents]
        self._starts = [int(space.start) for space in acts]
        self.counts = [int(space.n) for space in acts]
        self._reached = _NOWHERE
        self._received = [0.0] * len(self.agents)
        self._legal: tuple[int, ...] | None = None

    def to_move(self, state: Played) -> int | None:
        """Return the seat to move; None if the game is over for all."""
        self.reach(state)
        return None if self._over() else self.agents.index(self.aec.agent_selection)

    def legal(self, state: Played) -> tuple[int, ...]:
        """Return the legal moves of who is to move: those of its mask, or all without a mask.

        Raises:
            ValueError: If there are none.
        """
        self.reach(state)
        if self._legal is None:
            agent = self.aec.agent_selection
            view = self.aec.observe(agent)
            mask = view.get("action_mask") if isinstance(view, Mapping) else None
            mask = self.aec.infos.get(agent, {}).get("action_mask") if mask is None else mask
            count = self.counts[self.agents.index(agent)]
            self._legal = tuple(range(count) if mask is None else np.flatnonzero(mask).tolist())
            if not self._legal:
                raise ValueError(f"{agent} of {self.aec} is to move and has no legal move")
        return self._legal

    def returns(self, state: Played) -> list[float]:
        """Return the sum of each seat's rewards so far."""
        self.reach(state)
        waiting = self.aec._cumulative_rewards  # since the agent's last turn; wrappers show it too
        return [
            had + float(waiting.get(agent, 0.0))
            for agent, had in zip(self.agents, self._received, strict=True)
        ]

    def number(self, state: Played, move: int) -> int:
        """Return a move of who is to move as the environment numbers it."""
        self.reach(state)
        return self._starts[self.agents.index(self.aec.agent_selection)] + move

    def text(self, state: Played, seat: int, describe: Callable[[Any, Any], Any]) -> str:
        """Return the text of a seat at a state."""
        self.reach(state)
        return str(describe(self.aec, self.agents[seat]))

    def reach(self, state: Played) -> None:
        """Bring the environment to a state."""
        before = self._reached
        if state is before:
            return
        known = len(before.moves)
        goes_on = before.seed == state.seed and before.moves == state.moves[:known]
        if goes_on and known == len(state.moves):
            self._reached = state
            return
        self._reached, self._legal = _NOWHERE, None  # until all moves have been made
        if not goes_on:
            known = 0
            self.aec.reset(seed=state.seed)
            self._received = [0.0] * len(self.agents)
            self._pass_ended()
        for move in state.moves[known:]:
            agent = self.aec.agent_selection
            seat = self._receive(agent)
            self.aec.step(self._starts[seat] + move)
            self._pass_ended()
        self._reached = state

    def _receive(self, agent: Any) -> int:
        seat = self.agents.index(agent)
        self._received[seat] += float(self.aec.last(observe=False)[1])
        return seat

    def _ended(self, agent: Any) -> bool:
        return bool(self.aec.terminations[agent] or self.aec.truncations[agent])

    def _over(self) -> bool:
        return all(self._ended(agent) for agent in self.aec.agents)

    def _pass_ended(self) -> None:
        """Step agents whose game is over while that of others goes on."""
        while not self._over() and self._ended(self.aec.agent_selection):
            self._receive(self.aec.agent_selection)
            self.aec.step(None)


def text_of(aec: Any) -> Callable[[Any, Any], Any]:
    """Return what puts the position in words: the environment's `describe(agent)`, or `render()`.

    Raises:
        ValueError: If it has neither, or renders no text.
    """
    if callable(getattr(aec, "describe", None)):
        return lambda env, agent: env.describe(agent)
    if getattr(aec, "render_mode", None) == "ansi":
        return _rendered
    modes: Sequence[str] = aec.metadata.get("render_modes", ())
    hint = "make it with render_mode='ansi'" if "ansi" in modes else "give describe(env, agent)"
    raise ValueError(f"{aec} has no text of a position: {hint}")


def _rendered(aec: Any, agent: Any) -> str:
    text = aec.render()
    if hasattr(text, "getvalue"):  # a StringIO
        text = text.getvalue()
    if not isinstance(text, str):
        raise ValueError(f"{aec} renders no text, but {type(text).__name__}")
    return text
