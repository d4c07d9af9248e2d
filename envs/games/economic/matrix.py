"""Matrix games, once or several times in a row: prisoner's dilemma, stag hunt, and any others.

A state is the tuple of all actions so far, round by round in the order of the seats. Payoffs are
the sums over rounds, at the end. Left out: discounting, a random end, and seats with different
actions.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import TERMINAL, Game, uniform_over_best
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.core.seat_views import MAX_OBSERVATION, first_message
from zerogym.envs.games.economic.payoffs import MATRICES, check_actions, check_payoffs
from zerogym.envs.games.views.single_seat import SingleSeatEnv
from zerogym.errors import UnknownName

State = tuple[int, ...]
MAX_STATES = 20_000  # of an `enumerable` game
MAX_HISTORY = 1200  # characters of all rounds in words


@dataclass(frozen=True)
class MatrixGame(Game[State]):
    """The rules; `MatrixGameEnv` has them in words.

    `observe` is float32 (num_seats + rounds * num_seats * actions,): the seat one-hot, then for
    each round and seat, the own first and the others after it in their circle, the action one-hot;
    zeros where it is not made or not known.

    Attributes:
        name: One of `MATRICES`, or any other if `payoffs` are given.
        rounds: How often it is played.
        actions: Names of the actions, the same for all seats; empty: those of `MATRICES`.
        payoffs: Nested: `payoffs[a][b]` has the payoffs of both seats where they choose a and b,
            and so on for more seats; empty: those of `MATRICES`.
    """

    name: str = "prisoners_dilemma"
    rounds: int = 5
    actions: tuple[str, ...] = ()
    payoffs: Any = ()
    perfect_information: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Fill in a known game, and refuse what is no matrix."""
        if self.name in MATRICES:
            actions, payoffs = MATRICES[self.name]
            object.__setattr__(self, "actions", self.actions or actions)
            object.__setattr__(self, "payoffs", self.payoffs or payoffs)
        elif not self.payoffs:
            raise UnknownName("matrix game", self.name, list(MATRICES))
        check_actions(self.actions)
        check_payoffs(self.name, self.payoffs, len(self.actions))
        letters = self.num_seats * (max(map(len, self.actions)) + 2)
        check_number("rounds", self.rounds, 1, MAX_HISTORY // letters)
        if max(map(self._longest_text, range(self.num_seats))) > MAX_OBSERVATION:
            raise ValueError(
                f"{self.name} takes more than {MAX_OBSERVATION} characters in words: it needs "
                "shorter names of actions, shorter payoffs, or fewer rounds"
            )

    def _longest_text(self, seat: int) -> int:
        """At most so many bytes are read at once, but for points with many digits."""
        longest = max(range(self.num_actions), key=lambda action: len(self.actions[action]))
        played = (longest,) * (self.num_seats * self.rounds)
        deciding = played[: len(played) - self.num_seats + seat]
        digits = 12 * self.num_seats  # of points at the end
        texts = (first_message(self, state, seat) for state in (deciding, played))
        return max(len(text.encode(errors="surrogatepass")) for text in texts) + digits

    @cached_property
    def num_seats(self) -> int:
        """As many as payoffs in a cell."""
        return int(np.shape(self.payoffs)[-1])

    @property
    def num_actions(self) -> int:
        """The same for all seats."""
        return len(self.actions)

    @property
    def observation_size(self) -> int:
        """The seat, and all rounds."""
        return self.num_seats * (1 + self.rounds * self.num_actions)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """The same cell in each round."""
        payoffs = [payoff for cell in self.cells.values() for payoff in cell]
        return (min(payoffs) * self.rounds, max(payoffs) * self.rounds)

    @property
    def zero_sum(self) -> bool:
        """True if the payoffs of each cell sum to 0."""
        return all(sum(cell) == 0 for cell in self.cells.values())

    @property
    def enumerable(self) -> bool:
        """Every sequence of actions is a state."""
        moves = self.rounds * self.num_seats
        return sum(self.num_actions**made for made in range(moves + 1)) < MAX_STATES

    @cached_property
    def cells(self) -> dict[State, tuple[float, ...]]:
        """The choices of all seats to their payoffs."""
        table = np.array(self.payoffs, dtype=np.float64)
        return {joint: tuple(table[joint].tolist()) for joint in np.ndindex(table.shape[:-1])}

    def initial(self) -> State:
        """Nobody has chosen."""
        return ()

    def to_move(self, state: State) -> int:
        """Each seat once a round."""
        if len(state) == self.rounds * self.num_seats:
            return TERMINAL
        return len(state) % self.num_seats

    def legal(self, state: State) -> tuple[int, ...]:
        """All actions, always."""
        return () if self.to_move(state) == TERMINAL else tuple(range(self.num_actions))

    def apply(self, state: State, action: int) -> State:
        """Note the action."""
        return (*state, action)

    def resample(self, state: State, seat: int, rng: np.random.Generator) -> State:
        """Other choices of those who have chosen in this round."""
        hidden = rng.integers(self.num_actions, size=seat).tolist()
        return (*state[: len(state) - seat], *hidden)

    def payoff(self, state: State) -> tuple[float, ...]:
        """The sums over rounds."""
        rounds = [self.cells[joint] for joint in self._rounds_of(state)]
        return tuple(map(sum, zip(*rounds, strict=True)))

    def observe(self, state: State, seat: int) -> NDArray[np.float32]:
        """The seat, and what it knows of each round."""
        rounds = np.zeros((self.rounds, self.num_seats, self.num_actions), dtype=np.float32)
        for index, joint in enumerate(self._known(state, seat)):
            for place, action in enumerate(joint):
                rounds[index, place, action] = 1
        own = np.zeros(self.num_seats, dtype=np.float32)
        own[seat] = 1
        return np.concatenate([own, rounds.ravel()])

    def info_key(self, state: State, seat: int) -> str:
        """The seat, and what it knows of each round, own action first: `0:00,01`."""
        return f"{seat}:{','.join(''.join(map(str, joint)) for joint in self._known(state, seat))}"

    def rules(self, seat: int) -> str:
        """The payoffs of this seat, one line for each of its actions."""
        title = self.name.replace("_", " ").capitalize()
        times = "once" if self.rounds == 1 else f"{self.rounds} rounds, whose points add up"
        lines = [f"{title}, {times}: all players choose at the same time.", "Your points (theirs):"]
        for own, name in enumerate(self.actions):
            cases = []
            for others in product(range(self.num_actions), repeat=self.num_seats - 1):
                payoffs = self._turned(self.cells[self._joint(seat, (own, *others))], seat)
                theirs = ", ".join(f"{payoff:g}" for payoff in payoffs[1:])
                against = ", ".join(self.actions[other] for other in others)
                cases.append(f"{payoffs[0]:g} ({theirs}) against {against}")
            lines.append(f"{name}: {'; '.join(cases)}.")
        return "\n".join(lines)

    def describe(self, state: State, seat: int) -> str:
        """The rounds and points so far, the own first, and what may be answered."""
        played = len(state) // self.num_seats
        known = [" ".join(self.actions[a] for a in joint) for joint in self._known(state, seat)]
        text = f"You are player {seat + 1}. Rounds so far, you first: "
        text += f"{'; '.join(known[:played]) or 'none'}."
        if played:
            finished = self.payoff(state[: played * self.num_seats])
            points = [f"{payoff:g}" for payoff in self._turned(finished, seat)]
            who = "opponent" if self.num_seats == 2 else "others"
            text += f"\nPoints: you {points[0]}, {who} {', '.join(points[1:])}."
        if self.to_move(state) == TERMINAL:
            return text
        if len(known) > played:
            return f"{text}\nYou chose {known[-1]}."
        if self.to_move(state) != seat:
            return text
        choices = " or ".join(f"<answer>{name}</answer>" for name in self.actions)
        return f"{text}\nRound {played + 1} of {self.rounds}. Reply {choices}."

    def action_name(self, state: State, action: int) -> str:
        """Its name."""
        return self.actions[action]

    def _rounds_of(self, state: State) -> Iterator[State]:
        for start in range(0, len(state), self.num_seats):
            yield state[start : start + self.num_seats]

    def _known(self, state: State, seat: int) -> Iterator[State]:
        """Each round as the seat knows it, own action first; of a round not over, its own only."""
        for joint in self._rounds_of(state):
            if len(joint) == self.num_seats:
                yield self._turned(joint, seat)
            elif len(joint) > seat:
                yield (joint[seat],)

    def _turned(self, values: tuple[Any, ...], seat: int) -> tuple[Any, ...]:
        """From the order of the seats to one that begins with `seat`."""
        return values[seat:] + values[:seat]

    def _joint(self, seat: int, turned: State) -> State:
        return self._turned(turned, self.num_seats - seat)


def scripted(game: MatrixGame, state: State, seat: int) -> list[float]:
    """Probabilities of the actions, from finished rounds only.

    Where sums are zero: the best answer to how often the others have chosen what (fictitious play;
    Brown 1951), ties at random. Else tit for tat (Axelrod 1984): first the first action of the
    game, then what most others chose last, the first of equally many. A round against random play
    gets it 2.1 in the prisoner's dilemma (random itself: 2.25, for kindness is wasted on chance),
    4.17 in public goods (4.5), 1 in the stag hunt (1), and 0, as anything does, in the others.
    """
    finished = state[: len(state) - len(state) % game.num_seats]
    rounds = [game._turned(joint, seat) for joint in game._rounds_of(finished)]
    values = np.zeros(game.num_actions)
    if game.zero_sum:
        for _, *others in rounds:
            for own in range(game.num_actions):
                values[own] += game.cells[game._joint(seat, (own, *others))][seat]
    elif rounds:
        for action, votes in Counter(rounds[-1][1:]).items():
            values[action] = votes - action / game.num_actions
    else:
        values[0] = 1.0
    return uniform_over_best(values.tolist())


class MatrixGameEnv(SingleSeatEnv):
    """One seat of a matrix game, against a given opponent.

    Description:
        In each round all seats choose at the same time, and a matrix has the payoffs of each
        joint choice. Registered are `PrisonersDilemma`, `StagHunt`, `RockPaperScissors`,
        `MatchingPennies` (the first seat wins at equal sides) and, with three seats,
        `PublicGoods`; any other matrix can be given, as in the second example. What is best in one
        round need not be so in five, because others answer.

    Observation:
        `view="text"`: the payoffs (once), then the rounds so far, own choice first.
        `view="numeric"`: float32 vector of the seat and the rounds so far, one-hot.

    Action:
        `view="text"`: the whole reply; the name of an action is read from `<answer>...</answer>`,
        else from the last line. `view="numeric"`: its index.

    Reward:
        0 until the end, then the sum of all rounds. `info["score"]` is the same as a number in
        [0, 1]: 0 the worst cell in each round, 1 the best.

    Episode end:
        After the last round. A reply that names no action may be repeated `max_retries` times,
        then the seat gets the worst payoff of the game, and the others, too, unless sums are zero.

    Arguments:
        name: One of the games above in `snake_case`, or any name if `payoffs` are given.
        rounds: How often it is played; default 5, or 3 where there are three seats or actions.
        actions: Names of the actions; default: those of the game.
        payoffs: Nested lists, `payoffs[a][b] = [first seat, second seat]`, and so on for more
            seats; default: those of the game.
        seat: 0, 1, ... or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> import gymnasium as gym
        >>> env = MatrixGameEnv(name="prisoners_dilemma", rounds=2, seat=0)
        >>> print(env.reset(seed=0)[0])
        Prisoners dilemma, 2 rounds, whose points add up: all players choose at the same time.
        Your points (theirs):
        cooperate: 3 (3) against cooperate; 0 (5) against defect.
        defect: 5 (0) against cooperate; 1 (1) against defect.
        You are player 1. Rounds so far, you first: none.
        Round 1 of 2. Reply <answer>cooperate</answer> or <answer>defect</answer>.
        >>> print(env.step("<answer>defect</answer>")[0])
        You are player 1. Rounds so far, you first: defect defect.
        Points: you 1, opponent 1.
        Round 2 of 2. Reply <answer>cooperate</answer> or <answer>defect</answer>.

        A matrix of one's own, here the game of chicken, under any of the ids:

        >>> env = gym.make(
        ...     "zerogym:zerogym/PrisonersDilemma-v0", name="chicken", rounds=1, seat=0,
        ...     actions=["swerve", "drive"],
        ...     payoffs=[[[0, 0], [-1, 1]], [[1, -1], [-9, -9]]],
        ... )
        >>> print(env.reset(seed=0)[0])
        Chicken, once: all players choose at the same time.
        Your points (theirs):
        swerve: 0 (0) against swerve; -1 (1) against drive.
        drive: 1 (-1) against swerve; -9 (-9) against drive.
        You are player 1. Rounds so far, you first: none.
        Round 1 of 1. Reply <answer>swerve</answer> or <answer>drive</answer>.

    Source:
        Axelrod, "The Evolution of Cooperation" (1984) for the dilemma's payoffs; Rousseau's hunt
        and the other payoffs as in the literature on repeated games.
    """

    rules_class = MatrixGame
