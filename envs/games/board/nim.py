"""Nim: take from heaps; whoever takes the last object wins, or loses (misère).

Bouton's theorem gives the winner from any position, for heaps of any size. Left
out: other rules of taking (subtraction games, Wythoff's game).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import xor
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import (
    TERMINAL,
    Game,
    named_action,
    uniform_over_best,
    win_or_loss,
)
from zerogym.envs.games.core.parameters import check_flag, check_numbers
from zerogym.envs.games.core.replies import joined, written_move
from zerogym.envs.games.views.single_seat import SingleSeatEnv

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_HEAP = 99
ENUMERABLE = 20_000  # states
_APART = re.compile(r"([a-z])[ \t]+([0-9]+)")


class NimState(NamedTuple):
    """The rest of each heap, and the seat to move; after the end, the one that would move."""

    heaps: tuple[int, ...]
    mover: int = 0


@dataclass(frozen=True)
class Nim(Game[NimState]):
    """The rules; `NimEnv` has them in words.

    Action `(count - 1) * len(heaps) + heap` takes `count` objects from a heap, both numbered from
    left to right; in words it is a letter and a count, `B2`. `observe` is a float32 vector
    (2 + sum(heaps),): the own seat one-hot, then for each heap a 1 for each object that is left.

    Args:
        heaps: Objects of each heap at the beginning, 1 to 26 numbers from 1 to 99.
        misere: Whether taking the last object loses.
    """

    name: ClassVar[str] = "nim"
    heaps: tuple[int, ...] = (1, 3, 5, 7)
    misere: bool = False

    def __post_init__(self) -> None:
        check_numbers("heaps", self.heaps, 1, MAX_HEAP, len(LETTERS))
        check_flag("misere", self.misere)

    @property
    def num_actions(self) -> int:
        """Every count up to the largest heap, from every heap."""
        return len(self.heaps) * max(self.heaps)

    @property
    def observation_size(self) -> int:
        """The seat, and a number for each object."""
        return self.num_seats + sum(self.heaps)

    @property
    def enumerable(self) -> bool:
        """True if heaps are few and small."""
        return self.num_seats * prod(heap + 1 for heap in self.heaps) < ENUMERABLE

    def initial(self) -> NimState:
        """All heaps, and seat 0 to move."""
        return NimState(self.heaps)

    def to_move(self, state: NimState) -> int:
        """The seats in turn, while anything is left."""
        return state[1] if any(state[0]) else TERMINAL

    def legal(self, state: NimState) -> tuple[int, ...]:
        """Any number of any one heap, at least one."""
        heaps = state[0]
        count = len(heaps)
        return tuple(
            [
                taken * count + heap
                for taken in range(max(heaps))
                for heap in range(count)
                if heaps[heap] > taken
            ]
        )

    def apply(self, state: NimState, action: int) -> NimState:
        """Take from a heap."""
        heaps, mover = state
        less_one, heap = divmod(action, len(heaps))
        left = heaps[heap] - less_one - 1
        return NimState((*heaps[:heap], left, *heaps[heap + 1 :]), 1 - mover)

    def payoff(self, state: NimState) -> tuple[float, float]:
        """1 for who took the last object, -1 for the other; misère the other way round."""
        winner = state.mover if self.misere else 1 - state.mover
        return win_or_loss(winner)

    def observe(self, state: NimState, seat: int) -> NDArray[np.float32]:
        """The own seat, and what is left of each heap, in unary."""
        bits = [seat == 0, seat == 1]
        for full, left in zip(self.heaps, state.heaps, strict=True):
            bits += [place < left for place in range(full)]
        return np.array(bits, dtype=np.float32)

    def info_key(self, state: NimState, seat: int) -> str:
        """The seat and the heaps: everybody sees everything."""
        return f"{seat}:{'-'.join(map(str, state.heaps))}"

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        return (
            "Nim: in turn, take as many objects as you like, at least one, from one heap.\n"
            f"Whoever takes the last object of all {'loses' if self.misere else 'wins'}.\n"
            f"You are player {seat + 1} of 2; player 1 moves first."
        )

    def situation(self, state: NimState, seat: int) -> str:
        """The heaps, and at a decision who decides."""
        heaps = ", ".join(f"{LETTERS[i]} has {left}" for i, left in enumerate(state.heaps))
        who = f" You are player {seat + 1}." if self.to_move(state) == seat else ""
        return f"Heaps: {heaps}.{who}"

    def request(self, state: NimState) -> str:
        """For a heap and a count, with an example."""
        move = self.action_name(state, self.legal(state)[0])
        return (
            f"Reply <answer>heap and count</answer>; <answer>{move}</answer> takes {move[1:]} from "
            f"heap {move[0]}."
        )

    def action_name(self, state: NimState, action: int) -> str:
        """The letter of the heap and how many to take: `B2`."""
        less_one, heap = divmod(action, len(self.heaps))
        return f"{LETTERS[heap]}{less_one + 1}"

    def parse(self, state: NimState, text: str) -> int | None:
        """The move a reply names, exactly, but for a blank between letter and count."""
        return named_action(self, state, joined(written_move(text), _APART))


def is_lost(game: Nim, heaps: Sequence[int]) -> bool:
    """Return True if the seat to move loses against perfect play (Bouton, 1901).

    It does if the binary digits of the heaps sum to even numbers in every place. Misère play
    differs only where no heap has more than one object left: an odd number of heaps is lost then.

    Example:
        >>> is_lost(Nim(), (1, 3, 5, 7)), is_lost(Nim(), (1, 3, 5)), is_lost(Nim(), (1, 1))
        (True, False, True)
    """
    if game.misere and max(heaps) <= 1:
        return sum(heaps) % 2 == 1
    return reduce(xor, heaps) == 0


def scripted(game: Nim, state: NimState, seat: int) -> Sequence[float]:
    """Perfect play by Bouton's theorem.

    Probabilities of the legal actions: equal for all that leave a lost position; where there is
    none, equal for all. It wins every game that it can win. With heaps of 1, 3, 5 and 7, of 10,000
    games against random play it wins 99.0% as the first player and all as the second.
    """
    legal = game.legal(state)
    return uniform_over_best([is_lost(game, game.apply(state, action).heaps) for action in legal])


class NimEnv(SingleSeatEnv):
    """One seat of Nim, against a given opponent.

    Description:
        Two players take objects from heaps in turn: any number, at least one, from one heap.
        Whoever takes the last object of all wins (`misere`: loses). Played perfectly by both, the
        second player wins from the heaps 1, 3, 5 and 7. From others the first wins, unless their
        sizes, written in binary, have an even number of ones in every place (`misere` differs only
        where all heaps are of one object).

    Observation:
        `view="text"`: the rules (once), then the heaps.
        `view="numeric"`: float32 vector (2 + sum(heaps),): the own seat one-hot, then for each heap
        a 1 for each object that is left and a 0 for each that is taken.

    Action:
        `view="text"`: the whole reply; the move, such as `B2` (2 objects from heap B), is read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: `(count - 1) * len(heaps) + heap`, with the heap numbered from 0.

    Reward:
        0 until the end, then 1 for a win, -1 for a loss. `info["score"]` is the same as a number in
        [0, 1]: 1 or 0.

    Episode end:
        When all heaps are empty. A reply that names no legal move may be repeated up to
        `max_retries` times, then the game is lost, as it is at once by an illegal number.

    Arguments:
        heaps: Objects of each heap, 1 to 26 numbers from 1 to 99; default (1, 3, 5, 7).
        misere: Whether taking the last object loses; default False.
        seat: 0 (moves first), 1 or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = NimEnv(heaps=(1, 2), seat=0, opponent="minimax")
        >>> print(env.reset(seed=0)[0])
        Nim: in turn, take as many objects as you like, at least one, from one heap.
        Whoever takes the last object of all wins.
        You are player 1 of 2; player 1 moves first.
        Heaps: A has 1, B has 2. You are player 1.
        Reply <answer>heap and count</answer>; <answer>A1</answer> takes 1 from heap A.
        >>> print(env.step("I leave equal heaps. <answer>B1</answer>")[0])
        Heaps: A has 1, B has 0. You are player 1.
        Reply <answer>heap and count</answer>; <answer>A1</answer> takes 1 from heap A.

    Source:
        Bouton, "Nim, a Game with a Complete Mathematical Theory" (1901), Annals of Mathematics 3.
    """

    rules_class = Nim
