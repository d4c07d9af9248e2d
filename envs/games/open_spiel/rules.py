"""The rules of any game of OpenSpiel, with its own numbers and words for positions and moves.

Simultaneous moves are taken in turn, unseen by those who move later in the round. Left out: rewards
before the end, and search (`mcts`) in most large games that hide something: see
`determinization.py`.
"""

import re
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.envs.games.open_spiel.determinization import Redraw, find_redraw
from zerogym.envs.games.open_spiel.state import SpielState, bare, load_spiel, replayed
from zerogym.envs.games.open_spiel.text import (
    MAX_MOVES,
    MAX_SHOWN,
    MAX_TEXT,
    introduction,
    listed,
    shown,
)
from zerogym.envs.reasoning.answers import extract_answer

ENUMERABLE = 10_000  # histories of a game that solvers may walk
SAMPLED = 10  # random play-outs that tell whether observations need to be scaled
SAMPLED_MOVES = 200  # of each play-out
MAX_NAME = 256  # characters of a move
# Before a move: who moves, which the reader knows, or the number that OpenSpiel gives the move.
PREFIX = re.compile(
    r"Player: \d+ Action: |pl?\d+: ?|\[P\d+\]|P\d+(?=\()|\d+ - |[bwxo] |[xo](?=[(\d])",
    re.IGNORECASE,
)


class SpielRules(Game[SpielState], ABC):
    """The rules of OpenSpiel's game `self.game`; a subclass says which that is.

    A state is its whole history, so positions that two orders of moves lead to are different.
    `observe` is OpenSpiel's information state as numbers, where the game is not open and has one,
    else its observation. Numbers outside of [0, 1] are scaled, all by the same increasing function.
    """

    max_text: ClassVar[int] = MAX_TEXT

    @property
    @abstractmethod
    def game(self) -> str:
        """OpenSpiel's name, with parameters in brackets."""

    @property
    def num_seats(self) -> int:
        """Number of players."""
        return int(load_spiel(self.game).loaded.num_players())

    @property
    def num_actions(self) -> int:
        """OpenSpiel's number of distinct actions; outcomes of chance have numbers of their own."""
        return int(load_spiel(self.game).loaded.num_distinct_actions())

    @property
    def observation_size(self) -> int:
        """All entries of OpenSpiel's tensor, whatever its shape.

        Raises:
            ValueError: If OpenSpiel has no numbers for this game; it can be played as text.
        """
        known = load_spiel(self.game)
        if "tensor" not in known.observed | known.remembered:
            raise ValueError(
                f"OpenSpiel gives no observations of {self.game!r:.200} as numbers: use view='text'"
            )
        remembered, loaded = _is_remembered(self.game), known.loaded
        shape = (
            loaded.information_state_tensor_shape if remembered else loaded.observation_tensor_shape
        )
        return int(np.prod(shape()))

    @property
    def payoff_range(self) -> tuple[float, float]:
        """OpenSpiel's bounds of what a seat can get."""
        loaded = load_spiel(self.game).loaded
        return float(loaded.min_utility()), float(loaded.max_utility())

    @property
    def perfect_information(self) -> bool:
        """As OpenSpiel says; never so where moves are simultaneous."""
        return load_spiel(self.game).hides_nothing

    @property
    def zero_sum(self) -> bool:
        """As OpenSpiel says."""
        return load_spiel(self.game).utility == "ZERO_SUM"

    @property
    def simultaneous(self) -> bool:
        """As OpenSpiel says."""
        return load_spiel(self.game).simultaneous

    @property
    def enumerable(self) -> bool:
        """True if there are few histories: they are counted, once, up to a limit."""
        return _is_small(self.game)

    @property
    def redrawn(self) -> bool:
        """True if search can draw states of an information set: see `resample`."""
        return self.perfect_information or self.enumerable or self.resample is not None

    @property
    def resample(self) -> Redraw | None:
        """The function that draws a state of the same information set; None if enumerable."""
        return None if self.enumerable else find_redraw(self.game)

    def initial(self) -> SpielState:
        """OpenSpiel's initial state."""
        return replayed(self.game)

    def to_move(self, state: SpielState) -> int:
        """The seat to move."""
        return state.mover

    def legal(self, state: SpielState) -> tuple[int, ...]:
        """Legal actions of the seat to move."""
        return state.legal

    def chance(self, state: SpielState) -> tuple[tuple[int, Fraction], ...]:
        """Outcomes and probabilities, as the fractions that OpenSpiel's floats stand for."""
        if state.mover != CHANCE:
            return ()
        outcomes, weights = zip(*state.inner.chance_outcomes(), strict=True)
        return tuple(zip(outcomes, _fractions(weights), strict=True))

    def apply(self, state: SpielState, action: int) -> SpielState:
        """The state after an action or an outcome of chance."""
        return state.child(action)

    def payoff(self, state: SpielState) -> tuple[float, ...]:
        """The sum of all rewards of each seat."""
        return tuple(map(float, state.inner.returns()))

    def observe(self, state: SpielState, seat: int) -> NDArray[np.float32]:
        """OpenSpiel's tensor in one row, in [0, 1]."""
        values = np.asarray(_tensor(self.game, state, seat), dtype=np.float64)
        if not _is_scaled(self.game):
            values = 0.5 + values / (2 + 2 * np.abs(values))
        return np.clip(values, 0, 1).astype(np.float32)

    def info_key(self, state: SpielState, seat: int) -> str:
        """The seat and OpenSpiel's information state; of open games without one, the history.

        Of other games without one it is the observation, which may omit earlier observations.
        """
        known = load_spiel(self.game)
        if "string" in known.remembered:
            return f"{seat}:{state.inner.information_state_string(seat)}"
        if known.hides_nothing:
            return f"{seat}:{state.inner.history_str()}"
        return f"{seat}:{state.inner.observation_string(seat)}"

    def rules(self, seat: int) -> str:
        """Name, parameters and rules, seats, what is won, and how replies look."""
        return introduction(self.game, seat)

    def describe(self, state: SpielState, seat: int) -> str:
        """The observations of the seat in OpenSpiel's words, and its moves."""
        if state.mover == TERMINAL:
            over = f"The game is over. Your payoff is {self.payoff(state)[seat]:+g}."
            return f"{shown(self.game, state, seat, MAX_SHOWN)}\n{over}"
        if state.mover != seat:
            return shown(self.game, state, seat, MAX_SHOWN)
        moves = listed(map(state.labels.__getitem__, state.legal), MAX_MOVES)
        position = shown(self.game, state, seat, MAX_SHOWN - len(moves))
        return f"{position}\nYour moves: {moves}\nReply <answer>move</answer>, exactly so written."

    def action_name(self, state: SpielState, action: int) -> str:
        """OpenSpiel's words in one line; with the number where other legal actions share them."""
        return state.labels[action]

    def parse(self, state: SpielState, text: str) -> int | None:
        """The legal action a reply names: exactly, else whatever the case, if only one fits.

        Who moves (`[P1]`, `W `, `x`) and OpenSpiel's number (`17 - `) may be left out.
        """
        answer, _ = extract_answer(text)
        if not answer or len(answer) > MAX_NAME:
            return None
        return self._read(state, " ".join(answer.split()))

    def _read(self, state: SpielState, move: str) -> int | None:
        plain = bare(move).lower()
        for written, form in (
            (move, str),
            (bare(move), bare),
            (plain, lambda name: bare(name).lower()),
            (plain, _without_prefix),
        ):
            named = [action for action in state.legal if form(state.labels[action]) == written]
            if len(named) == 1:
                return named[0]
        return None


def _without_prefix(name: str) -> str:
    found = PREFIX.match(name)
    return bare(name[found.end() :] if found else name).lower()


@lru_cache(maxsize=1024)
def _fractions(weights: tuple[float, ...]) -> tuple[Fraction, ...]:
    """Probabilities that sum to exactly 1."""
    if min(weights) == max(weights):
        return (Fraction(1, len(weights)),) * len(weights)
    exact = [Fraction(weight).limit_denominator(10**6) for weight in weights]
    total = sum(exact)
    return tuple(weight / total for weight in exact)


def _is_remembered(game: str) -> bool:
    """Return True if vectors are those of the information state, not of the observation."""
    known = load_spiel(game)
    return "tensor" in known.remembered and not (known.hides_nothing and "tensor" in known.observed)


def _tensor(game: str, state: SpielState, seat: int) -> Any:
    if _is_remembered(game):
        return state.inner.information_state_tensor(seat)
    return state.inner.observation_tensor(seat)


@lru_cache(maxsize=64)
def _is_scaled(game: str) -> bool:
    """Return True if all entries of observations lie in [0, 1], in random play-outs."""
    rng, seats = np.random.default_rng(0), range(load_spiel(game).loaded.num_players())
    for _ in range(SAMPLED):
        state = replayed(game)
        for _ in range(SAMPLED_MOVES):
            if state.mover == TERMINAL:
                break
            if state.mover >= 0:
                for seat in seats:
                    entries = _tensor(game, state, seat)
                    if min(entries) < 0 or max(entries) > 1:
                        return False
            state = state.child(int(rng.choice(state.inner.legal_actions())))
    return True


@lru_cache(maxsize=64)
def _is_small(game: str) -> bool:
    """Return True if there are at most `ENUMERABLE` histories."""
    found, layer = 1, [load_spiel(game).loaded.new_initial_state()]
    while layer:  # short histories first: they are the fastest to copy
        children = []
        for state in layer:
            actions = () if state.is_terminal() else state.legal_actions()
            found += len(actions)
            if found > ENUMERABLE:
                return False
            children += [state.child(action) for action in actions]
        layer = children
    return True
