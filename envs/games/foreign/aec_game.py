"""Any turn-based environment of PettingZoo with a text of its position, as a game of ours.

Its agents are seats, a reset with a drawn seed is the deal. All views, opponents and policies that
play games by text then play it; what is ours is how moves are listed and read, and that a seat
without a legal move forfeits.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, equally_likely
from zerogym.envs.games.core.parameters import check_flag, check_number
from zerogym.envs.games.core.replies import written_move
from zerogym.envs.games.foreign.played import LiveGame, Played, made_aec, text_of
from zerogym.envs.games.views.single_seat import SingleSeatEnv

MAX_SITUATION = 8_192  # characters; of a longer position the end is left out
MAX_MOVES_TEXT = 7_168  # of the list of moves

Names = Sequence[str] | Callable[[Any, Any, int], str]


class ForeignGame(Game[Played]):
    """The rules of a PettingZoo environment; `PettingZooEnv` has the arguments in words."""

    name: str = ""
    num_seats: int = 2
    num_actions: int = 1
    payoff_range: tuple[float, float] = (-1.0, 1.0)
    zero_sum: bool = True
    perfect_information: bool = False
    redrawn: bool = False
    max_text: ClassVar[int] = 16_384

    def __init__(
        self,
        env: Any,
        settings: Mapping[str, Any] | None = None,
        describe: Callable[[Any, Any], Any] | None = None,
        names: Names | None = None,
        about: str = "",
        payoff_range: tuple[float, float] = (-1.0, 1.0),
        zero_sum: bool = True,
        perfect_information: bool = False,
        deals: int = 4096,
        max_moves: int = 1000,
    ) -> None:
        check_flag("zero_sum", zero_sum)
        check_flag("perfect_information", perfect_information)
        check_number("deals", deals, 1, 65_536)
        check_number("max_moves", max_moves, 1, 1_000_000)
        low, high = payoff_range
        if not low < high:
            raise ValueError(f"payoff_range is (lowest, highest), got {payoff_range!r:.80}")
        aec = made_aec(env, settings or {})
        self._live = LiveGame(aec)
        self._describe = text_of(aec) if describe is None else describe
        self._names, self._about = names, about
        self.name = str(aec)
        self.num_seats = len(self._live.agents)
        self.num_actions = max(self._live.counts)
        if isinstance(names, Sequence) and len(names) != self.num_actions:
            raise ValueError(f"{self.name} has {self.num_actions} actions, got {len(names)} names")
        self.payoff_range, self.zero_sum = (float(low), float(high)), zero_sum
        self.perfect_information = self.redrawn = perfect_information
        self.max_moves, self._deals = max_moves, equally_likely(tuple(range(deals)))

    def __repr__(self) -> str:
        return f"ForeignGame({self.name})"

    @property
    def observation_size(self) -> int:
        """There is no vector.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f"{self.name} is played in view='text' only")

    def initial(self) -> Played:
        """Return the state before the reset."""
        return Played()

    def to_move(self, state: Played) -> int:
        """Return the seat of the agent that is selected; after `max_moves` nobody is."""
        if state.seed is None:
            return CHANCE
        if len(state.moves) >= self.max_moves:
            return TERMINAL
        mover = self._live.to_move(state)
        return TERMINAL if mover is None else mover

    def legal(self, state: Played) -> tuple[int, ...]:
        """Return the moves of the mask."""
        return self._live.legal(state) if self.to_move(state) >= 0 else ()

    def chance(self, state: Played) -> tuple[tuple[int, Fraction], ...]:
        """Return the seeds of the reset."""
        return self._deals if state.seed is None else ()

    def apply(self, state: Played, action: int) -> Played:
        """Return the game with one more move."""
        if state.seed is None:
            return Played(action)
        return Played(state.seed, (*state.moves, action))

    def returns(self, state: Played) -> tuple[float, ...]:
        """Return the rewards so far, cut to the range of payoffs."""
        if state.seed is None:
            return (0.0,) * self.num_seats
        low, high = self.payoff_range
        return tuple(min(high, max(low, total)) for total in self._live.returns(state))

    def payoff(self, state: Played) -> tuple[float, ...]:
        """Return the same at the end."""
        return self.returns(state)

    def observe(self, state: Played, seat: int) -> NDArray[np.float32]:
        """Refuse: see `observation_size`."""
        return np.zeros(self.observation_size, np.float32)

    def info_key(self, state: Played, seat: int) -> str:
        """The seat and the whole game: what is hidden from a seat is not known here."""
        return f"{seat}:{state.seed}:{state.moves}"

    def rules(self, seat: int) -> str:
        """The given rules, or the name; then the agent and how payoffs are to be read."""
        agent, (low, high) = self._live.agents[seat], self.payoff_range
        about = self._about or f"The game {self.name}, whose rules are not given."
        sums = "; they sum to 0" if self.zero_sum else ""
        return (
            f"{about}\nThere are {self.num_seats} seats; you are {agent}. "
            f"Payoffs are from {low:g} to {high:g}{sums}."
        )

    def situation(self, state: Played, seat: int) -> str:
        """The environment's text."""
        return self._live.text(state, seat, self._describe)[:MAX_SITUATION].rstrip()

    def request(self, state: Played) -> str:
        """The legal moves."""
        moves = self.legal(state)
        if self._names is None:
            listed = _runs([self._live.number(state, move) for move in moves])
        else:
            listed = [self.action_name(state, move) for move in moves]
        text = ", ".join(listed)
        if len(text) > MAX_MOVES_TEXT:
            text = text[:MAX_MOVES_TEXT].rpartition(", ")[0] + f", ... ({len(moves)} in all)"
        return f"Your moves: {text}\nReply <answer>move</answer>."

    def result(self, state: Played, seat: int) -> str:
        """The payoff."""
        return f"The game is over. Your payoff is {self.payoff(state)[seat]:+g}."

    def action_name(self, state: Played, action: int) -> str:
        """The given name, or the environment's number."""
        number = self._live.number(state, action)
        if self._names is None:
            return str(number)
        if isinstance(self._names, Sequence):
            return self._names[action]
        aec = self._live.aec
        return str(self._names(aec, aec.agent_selection, number))

    def parse(self, state: Played, text: str) -> int | None:
        """The legal move of this name; else of this number, where no legal move has the name."""
        move, legal = written_move(text), self.legal(state)
        named = [each for each in legal if self.action_name(state, each).lower() == move]
        if not named:
            named = [each for each in legal if str(self._live.number(state, each)) == move]
        return named[0] if len(named) == 1 else None


def _runs(numbers: Sequence[int]) -> list[str]:
    """Return numbers with runs of three or more as `first-last`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [
        part
        for run in runs
        for part in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(each) for each in run])
    ]


class PettingZooEnv(SingleSeatEnv):
    """One seat of any turn-based PettingZoo environment by text, against a given opponent.

    Description:
        Each agent of an AEC environment is a seat; all act in `Discrete` spaces. The environment
        must be repeatable, as PettingZoo requires: the same seed and moves, the same game. Its
        object is used as it is, so it must be this environment's own: give what makes it.

    Observation:
        The rules (once), then the environment's text of the position and the legal moves. A text by
        `render()` is the same for all seats, also of what should be hidden from some.

    Action:
        The whole reply; the move is read from `<answer>...</answer>`, else from the last line: its
        name, or its number.

    Reward:
        The agent's rewards, whose sum is cut to `payoff_range`. `info["score"]` is that sum as a
        number in [0, 1].

    Episode end:
        By the environment, or after `max_moves` of all seats together. A reply that names no legal
        move may be repeated up to `max_retries` times, then the seat gets the lowest payoff, and
        the environment is not stepped.

    Arguments:
        env: What makes the environment, a class or function; or an id of PettingZoo's registry,
            such as `classic/connect_four-v3`.
        settings: Its arguments; `{"render_mode": "ansi"}` where it has that mode.
        describe: Text of a position: a function of the environment and an agent's name. Default:
            the environment's own `describe(agent)`, else `render()` in the mode `ansi`.
        names: Names of the actions: one for each, or a function of the environment, the agent's
            name and the number. Without, moves are numbers.
        about: The rules in words, for the first message.
        payoff_range: Lowest and highest sum of an agent's rewards; default (-1, 1).
        zero_sum: Whether these sum to 0, as by default: then others share what a seat forfeits.
        perfect_information: Whether nothing is hidden and nothing drawn; then `mcts` is an
            opponent.
        deals: Number of seeds of which one is drawn for each game.
        max_moves: Most moves in a game.

    Example:
        >>> made = {"env": "zerogym/nim-v0", "settings": {"render_mode": "ansi"}}
        >>> env = PettingZooEnv(seat=0, **made)
        >>> print(env.reset(seed=0)[0].splitlines()[-2])
        Your moves: 0-3, 5-7, 9-11, 14, 15, 18, 19, 23, 27

    Source:
        Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning" (2020,
        arXiv 2009.14471) for the turn-based API.
    """

    rules_class = ForeignGame
