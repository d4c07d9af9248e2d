"""All seats of any game as a PettingZoo AEC environment, in a numeric or a text view.

Simultaneous games have `parallel.py`, too.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from pettingzoo import AECEnv

from zerogym.envs.games.core.game import (
    CHANCE,
    TERMINAL,
    deal,
    forfeit,
    idle_mask,
    legal_mask,
)
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.seat_views import read_action, seat_message, write_action
from zerogym.envs.games.views.multi_seat import GameSeats


@dataclass
class Match:
    """The variable part of a game.

    Attributes:
        state: Of the rules.
        mover: The seat to move, or `TERMINAL`.
        turns: For each seat, its moves so far.
        void: Replies without a legal move since the last move.
        loser: The seat that forfeited.
        returned: Sums of the rewards of the seats so far.
        facts: Of the seats, after the last move; None before it.
    """

    state: Any
    mover: int
    turns: list[int] = field(default_factory=list)
    void: int = 0
    loser: int | None = None
    returned: tuple[float, ...] = ()
    facts: list[dict[str, Any]] | None = None


class GameAEC(GameSeats[Match], AECEnv[str, Any, Any]):
    """Seats `player_0`, `player_1`, ... move in turn.

    Description:
        An adapter over the rules of any registered game, whose page is that of its single-seat
        view. A seat's text reaches no other seat, neither its reasoning nor a void reply: others
        see only the move that was read from it.

    Observation:
        `view="numeric"`: `{"observation": float32 vector, "action_mask": int8 vector}`. The mask is
        all ones where the seat has no move to make. `view="text"`: `{"text": str}`, the rules
        before the seat's first move, then the position; repeated calls give the same text.

    Action:
        `view="numeric"`: an integer. `view="text"`: the whole reply.

    Reward:
        Each seat's payoff, at the end unless the rules give parts of it earlier.

    Episode end:
        By the rules. An illegal number forfeits at once, a reply without a legal move after
        `max_retries` repetitions: the seat gets the lowest payoff of the game.

    Arguments:
        game: A name such as `kuhn_poker`, or rules.
        view: `numeric` (default) or `text`.
        max_retries: Further replies after one without a legal move, for each move; default 2.
        render_mode: None, or `ansi` or `rgb_array`, which show what the seat to move sees.
        parameters: Fields of the rules, where `game` is a name.

    Example:
        >>> import pettingzoo
        >>> import zerogym
        >>> env = pettingzoo.make("aec", "zerogym/tic_tac_toe-v0", view="text")
        >>> env.reset(seed=0)
        >>> for cell in ("1", "4", "2", "5", "3"):
        ...     env.step(f"<answer>{cell}</answer>")
        >>> env.rewards
        {'player_0': 1.0, 'player_1': -1.0}

    Source:
        Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning" (2020,
        arXiv 2009.14471) for the turn-based API.
    """

    snapshot: ClassVar[tuple[str, ...]] = (
        *GameSeats.snapshot,
        "rewards",
        "_cumulative_rewards",
        "terminations",
        "truncations",
        "infos",
        "agent_selection",
        "_skip_agent_selection",  # PettingZoo's note of whose turn it is after the dead stepped
    )

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; there are no options."""
        self.agents = list(self.possible_agents)
        self._skip_agent_selection = None
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        state = deal(self.game, self.game.initial(), self._generator(seed))
        mover = self.game.to_move(state)
        seats = self.game.num_seats
        self._match = Match(state, mover, [0] * seats, returned=(0.0,) * seats)
        self.infos = self._infos(state)
        self.agent_selection = self.possible_agents[mover]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of a seat."""
        match, seat = self._running(), self._seat_of(agent)
        if self.view == "text":
            return {"text": self._text(match, seat)}
        game, waits = self.game, seat != match.mover
        mask = idle_mask(game) if waits else legal_mask(game, match.state)
        return {"observation": game.observe(match.state, seat), "action_mask": mask}

    def survey(self, agent: str) -> Any:
        """Return the question of the rules about what is hidden from a seat now; None: none.

        Games of talk have one (`talk/core/surveys.py`).
        """
        pose = getattr(self.game, "survey", None)
        return None if pose is None else pose(self._running().state, self._seat_of(agent))

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, termination, truncation and info of `agent_selection`."""
        self._playing()
        last: Any = super().last(observe)
        return last

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Iterate over the seats to move, until the game is over for all."""
        self._running()
        return super().agent_iter(max_iter)

    def step(self, action: Any) -> None:
        """The move of `agent_selection`; None for a seat whose game is over."""
        match = self._playing()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        move = read_action(self.game, match.state, self.view, action, self.metadata["name"])
        self._take(match, move, final=self.view == "numeric" or match.void == self.max_retries)

    def let_move(self, player: Any, memory: Any, opening: bool, rng: np.random.Generator) -> Any:
        """Let a player move for `agent_selection`, who forfeits if there is no legal move.

        Args:
            player: A player, text player or policy (`core/players.py`).
            memory: What its last call in this episode returned; None at first.
            opening: True for its first move of the episode.
            rng: For all its randomness.

        Returns:
            Its memory.
        """
        match = self._playing()
        state, view = match.state, self.view
        move, memory = request_move(
            player, self.game, state, view, memory, opening, self.max_retries, rng
        )
        self._take(match, move, final=True)
        return memory

    def _take(self, match: Match, move: Any, final: bool) -> None:
        """Take a move; None is no legal one, which is forfeited if it is final."""
        agent, seat = self.agent_selection, match.mover
        if move is not None:
            self._play(match, move)
            match.turns[seat], match.void = match.turns[seat] + 1, 0
        else:
            match.void += 1
            match.loser = seat if final else None
        turn = match.turns[seat]
        self.infos[agent] = {**self.infos[agent], "turn": turn, "void_turn": move is None}
        if self._has_facts:
            facts = [self.game.facts(match.state, place) for place in range(len(self.infos))]
            if facts != match.facts:  # seldom
                match.facts = facts
                for each, new in zip(self.infos, facts, strict=True):
                    self.infos[each] = self.infos[each] | new
        self._cumulative_rewards[agent] = 0.0
        self._reward(match)
        if match.loser is not None or match.mover == TERMINAL:
            self._finish(match)
        else:
            self.agent_selection = self.possible_agents[match.mover]

    def random_action(self, rng: np.random.Generator) -> Any:
        """A legal move of `agent_selection`, all equally likely."""
        match = self._playing()
        legal = self.game.legal(match.state)
        return write_action(self.game, match.state, self.view, legal[int(rng.integers(len(legal)))])

    def _words(self) -> str:
        seat = self.possible_agents.index(self.agent_selection)
        return f"{self.agent_selection}:\n{self._text(self._running(), seat)}"

    def _seat_of(self, agent: str) -> int:
        try:
            return self.possible_agents.index(agent)
        except ValueError:
            known = f"{self} has {self.possible_agents}, got {agent!r:.80}"
            raise ValueError(known) from None

    def _play(self, match: Match, move: int) -> None:
        match.state = self.game.apply(match.state, move)
        match.mover = self.game.to_move(match.state)
        if match.mover == CHANCE:
            match.state = deal(self.game, match.state, self._generator())
            match.mover = self.game.to_move(match.state)

    def _reward(self, match: Match) -> None:
        """Give each seat by how much its return has grown."""
        before, game = match.returned, self.game
        loser = match.loser
        match.returned = game.returns(match.state) if loser is None else forfeit(game, loser)
        if match.returned == before:  # most moves of most games
            self.rewards = dict.fromkeys(self.agents, 0.0)
            return
        gains = [now - then for now, then in zip(match.returned, before, strict=True)]
        self.rewards = dict(zip(self.agents, gains, strict=True))
        self._accumulate_rewards()

    def _finish(self, match: Match) -> None:
        if not self.game.zero_sum:
            welfare = {"welfare": float(sum(match.returned))}
            self.infos = {agent: info | welfare for agent, info in self.infos.items()}
        self.terminations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def _text(self, match: Match, seat: int) -> str:
        turns = match.turns[seat]
        return seat_message(self.game, match.state, seat, turns, match.void, match.loser)
