"""All seats of a game of simultaneous moves as a PettingZoo parallel environment.

A step is a round: all seats answer, and nobody sees the others' answers before. Left out: games
whose moves are in turn (`aec.py` has all).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pettingzoo import ParallelEnv

from zerogym.envs.games.core.game import TERMINAL, Game, action_mask, deal, forfeit
from zerogym.envs.games.core.seat_views import forfeit_notice, read_action, seat_message
from zerogym.envs.games.views.multi_seat import GameSeats

KEPT = "Your move is kept; others are asked again."


@dataclass
class Match:
    """The variable part of a game.

    Attributes:
        state: Of the rules, before the present round.
        turn: Rounds so far.
        moves: The moves of this round that are made already.
        void: For each seat, its replies without a legal move in this round.
        losers: The seats that forfeited.
        returned: Sums of the rewards of the seats so far.
    """

    state: Any
    turn: int = 0
    moves: dict[int, int] = field(default_factory=dict)
    void: list[int] = field(default_factory=list)
    losers: tuple[int, ...] = ()
    returned: tuple[float, ...] = ()


class GameParallel(GameSeats[Match], ParallelEnv[str, Any, Any]):
    """Seats `player_0`, `player_1`, ... move at the same time.

    Description:
        An adapter over the rules of any game whose moves are simultaneous. A seat's text reaches no
        other seat, neither its reasoning nor a void reply: others see only the moves that were read
        from it, after the round.

    Observation:
        `view="numeric"`: `{"observation": float32 vector, "action_mask": int8 vector}`.
        `view="text"`: `{"text": str}`, the rules before the first round, then the position.

    Action:
        `view="numeric"`: an integer for each seat. `view="text"`: the whole replies.

    Reward:
        Each seat's payoff, at the end unless the rules give parts of it earlier.

    Episode end:
        By the rules. An illegal number forfeits at once, a reply without a legal move after
        `max_retries` repetitions. Meanwhile the moves of the other seats are kept, and their
        texts are not read. Payoffs are those of the forfeit, averaged if several forfeit.

    Arguments:
        game: A name such as `prisoners_dilemma`, or rules.
        view: `numeric` (default) or `text`.
        max_retries: Further replies after one without a legal move, in each round; default 2.
        render_mode: None, or `ansi` or `rgb_array`, which show what each seat sees.
        Any parameter of the rules, by its name, where `game` is a name.

    Example:
        >>> import pettingzoo
        >>> import zerogym
        >>> env = pettingzoo.make("parallel", "zerogym/prisoners_dilemma-v0", rounds=1)
        >>> _ = env.reset(seed=0)
        >>> env.step({"player_0": 0, "player_1": 1})[1]
        {'player_0': 0.0, 'player_1': 5.0}

    Source:
        Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning" (2020,
        arXiv 2009.14471) for the parallel API.
    """

    def __init__(self, game: str | Game[Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(game, *args, **kwargs)
        if not self.game.simultaneous:
            raise ValueError(f"{self.game.name} has moves in turn, see GameAEC")

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a new game; there are no options."""
        self.agents = list(self.possible_agents)
        state = deal(self.game, self.game.initial(), self._generator(seed))
        seats = self.game.num_seats
        self._match = Match(state, void=[0] * seats, returned=(0.0,) * seats)
        return self._observations(), self._infos(state)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play a round, or repeat it for the seats that have made no legal move."""
        match = self._playing()
        if set(actions) != set(self.agents):
            raise ValueError(
                f"{self} takes an action of each of {self.agents}, got {list(actions)}"
            )
        failed = self._read(match, [actions[agent] for agent in self.agents])
        over = bool(match.losers)
        if len(match.moves) == self.game.num_seats:
            over = self._play(match)
        before, match.returned = match.returned, self._returns(match)
        rewards = [now - then for now, then in zip(match.returned, before, strict=True)]
        agents, infos = self.agents, self._infos(match.state)
        for seat, info in enumerate(infos.values()):
            info |= {"turn": match.turn, "void_turn": seat in failed}
            if over and not self.game.zero_sum:
                info["welfare"] = float(sum(match.returned))
        observations = self._observations()
        if over:
            self.agents = []
        return (
            observations,
            dict(zip(agents, rewards, strict=True)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            infos,
        )

    def _words(self) -> str:
        match = self._running()
        texts = [f"{a}:\n{self._text(match, s)}" for s, a in enumerate(self.possible_agents)]
        return "\n".join(texts)

    def _read(self, match: Match, actions: Sequence[Any]) -> set[int]:
        """Note the moves, and return the seats that have made none."""
        failed = set()
        for seat, action in enumerate(actions):
            if seat in match.moves:
                continue
            state = self._turn_of(match.state, seat)
            move = read_action(self.game, state, self.view, action, str(self))
            if move is None:
                failed.add(seat)
                match.void[seat] += 1
            else:
                match.moves[seat] = move
        allowed = self.max_retries if self.view == "text" else 0
        match.losers = tuple(seat for seat in sorted(failed) if match.void[seat] > allowed)
        return failed

    def _play(self, match: Match) -> bool:
        """Let the round happen; whether the game is over by it."""
        for seat in range(self.game.num_seats):
            match.state = self.game.apply(match.state, match.moves[seat])
        match.state = deal(self.game, match.state, self._generator())
        match.turn, match.moves, match.void = match.turn + 1, {}, [0] * self.game.num_seats
        return self.game.to_move(match.state) == TERMINAL

    def _returns(self, match: Match) -> tuple[float, ...]:
        if not match.losers:
            return self.game.returns(match.state)
        each = [forfeit(self.game, loser) for loser in match.losers]
        return tuple(sum(payoffs) / len(each) for payoffs in zip(*each, strict=True))

    def _turn_of(self, state: Any, seat: int) -> Any:
        """A state in which it is the turn of the seat, who cannot tell it from the present one."""
        while self.game.to_move(state) not in (seat, TERMINAL):
            state = self.game.apply(state, self.game.legal(state)[0])
        return state

    def _observations(self) -> dict[str, Any]:
        match, found = self._running(), dict[str, Any]()
        for seat, agent in enumerate(self.agents):
            state = self._turn_of(match.state, seat)
            if self.view == "text":
                found[agent] = {"text": self._text(match, seat)}
            else:
                mask = action_mask(self.game, state, seat)
                found[agent] = {"observation": self.game.observe(state, seat), "action_mask": mask}
        return found

    def _text(self, match: Match, seat: int) -> str:
        if match.losers:
            return forfeit_notice(seat in match.losers, self._returns(match)[seat])
        if seat in match.moves:
            return KEPT
        state = self._turn_of(match.state, seat)
        return seat_message(self.game, state, seat, match.turn, match.void[seat], None)
