"""The rules of any game of OpenSpiel, with its own numbers and words for positions and moves.

Simultaneous moves are taken in turn, unseen by those who move later in the round. Left out: rewards
before the end, sampling of what is hidden (search is weak there), and rules in words, which
OpenSpiel does not have.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core import CHANCE, TERMINAL
from zerogym.envs.games.open_spiel_state import SpielState, load_spiel, replayed, spiel
from zerogym.envs.reasoning.answers import extract_answer

ENUMERABLE = 10_000  # histories of a game that solvers may walk
SAMPLED = 10  # random play-outs that tell whether observations need to be scaled
SAMPLED_MOVES = 200  # of each play-out
MAX_TEXT = 1500  # bytes of a position and a list of moves together
MAX_MOVES = 550  # bytes of a list of moves below a position that is too long
MAX_NAME = 256  # characters of a move


class SpielRules:
    """The rules of OpenSpiel's game `self.game`; a subclass says which that is.

    A state is its whole history, so positions that two orders of moves lead to are different.
    `observe` is OpenSpiel's information state as numbers, where the game is not open and has one,
    else its observation. Numbers outside of [0, 1] are scaled, all by the same increasing function.
    """

    simultaneous: ClassVar[bool] = False

    @property
    def game(self) -> str:
        """OpenSpiel's name, with parameters in brackets."""
        raise NotImplementedError

    @property
    def num_seats(self) -> int:
        """Number of players."""
        return int(load_spiel(self.game).num_players())

    @property
    def num_actions(self) -> int:
        """OpenSpiel's number of distinct actions; outcomes of chance have numbers of their own."""
        return int(load_spiel(self.game).num_distinct_actions())

    @property
    def observation_size(self) -> int:
        """All entries of OpenSpiel's tensor, whatever its shape."""
        loaded = load_spiel(self.game)
        told = _tells_all(self.game, "tensor")
        shape = loaded.information_state_tensor_shape if told else loaded.observation_tensor_shape
        return int(np.prod(shape()))

    @property
    def payoff_range(self) -> tuple[float, float]:
        """OpenSpiel's bounds of what a seat can get."""
        loaded = load_spiel(self.game)
        return float(loaded.min_utility()), float(loaded.max_utility())

    @property
    def perfect_information(self) -> bool:
        """As OpenSpiel says; never so where moves are simultaneous."""
        return _is_open(self.game)

    @property
    def zero_sum(self) -> bool:
        """As OpenSpiel says."""
        return bool(load_spiel(self.game).get_type().utility == spiel().GameType.Utility.ZERO_SUM)

    @property
    def enumerable(self) -> bool:
        """Whether there are few histories: they are counted, once, up to a limit."""
        return _is_small(self.game)

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

        Of other games without one it is the observation, which may forget what the seat has seen.
        """
        kind = load_spiel(self.game).get_type()
        if kind.provides_information_state_string:
            return f"{seat}:{state.inner.information_state_string(seat)}"
        if self.perfect_information:
            return f"{seat}:{state.inner.history_str()}"
        return f"{seat}:{state.inner.observation_string(seat)}"

    def rules(self, seat: int) -> str:
        """The name of the game and how positions and moves are written."""
        name, code = load_spiel(self.game).get_type().long_name, _cut(self.game, 120)
        return (
            f"{name}, by the usual rules, as in the library OpenSpiel ({code}).\n"
            f"There are {self.num_seats} seats, counted from 0; you have seat {seat}. "
            "Your payoff at the end is all that counts.\n"
            "Positions and moves are written as the library writes them."
        )

    def describe(self, state: SpielState, seat: int) -> str:
        """OpenSpiel's text, and the moves; what is too long is cut in the middle."""
        told = _tells_all(self.game, "string")
        read = state.inner.information_state_string if told else state.inner.observation_string
        text = read(seat).strip("\n")
        if state.mover == TERMINAL:
            over = f"The game is over. Your payoff is {self.payoff(state)[seat]:+g}."
            return f"{_cut(text, MAX_TEXT)}\n{over}"
        if state.mover != seat:
            return _cut(text, MAX_TEXT)
        names = self._names(state)
        moves = ", ".join(names[action] for action in state.legal)
        position = _cut(text, MAX_TEXT - min(len(moves.encode()), MAX_MOVES))
        moves = _cut(moves, MAX_TEXT - len(position.encode()))
        return f"{position}\nYour moves: {moves}\nReply <answer>move</answer>, exactly so written."

    def action_name(self, state: SpielState, action: int) -> str:
        """OpenSpiel's words in one line; with the number where other legal actions share them."""
        return self._names(state)[action]

    def parse(self, state: SpielState, text: str) -> int | None:
        """The legal action a reply names: exactly, else whatever the case, if only one fits."""
        answer, _ = extract_answer(text)
        if not answer or len(answer) > MAX_NAME:
            return None
        return self._read(state, " ".join(answer.split()))

    def _read(self, state: SpielState, move: str) -> int | None:
        names = self._names(state)
        for form in (str, bare, lambda name: bare(name).lower()):
            wanted = form(move)
            named = [action for action in state.legal if form(names[action]) == wanted]
            if len(named) == 1:
                return named[0]
        return None

    def _names(self, state: SpielState) -> dict[int, str]:
        shared = Counter(bare(name).lower() for name in state.names.values())
        return {
            action: name if bare(name) and shared[bare(name).lower()] == 1 else f"{name} #{action}"
            for action, name in state.names.items()
        }


def bare(name: str) -> str:
    """A name without what may surround it in a reply."""
    return name.strip(" \t.`*'\"[]()")


def _cut(text: str, length: int) -> str:
    """At most so many bytes: the beginning and the end."""
    data = text.encode()
    if len(data) <= length:
        return text
    ends = data[: length // 2], data[-(length // 2 - 10) :]
    return " [cut] ".join(end.decode(errors="ignore") for end in ends)


@lru_cache(maxsize=1024)
def _fractions(weights: tuple[float, ...]) -> tuple[Fraction, ...]:
    """Probabilities that sum to exactly 1."""
    exact = [Fraction(weight).limit_denominator(10**6) for weight in weights]
    return tuple(weight / sum(exact) for weight in exact)


def _is_open(game: str) -> bool:
    kinds, kind = spiel().GameType, load_spiel(game).get_type()
    return bool(kind.information == kinds.Information.PERFECT_INFORMATION) and not (
        kind.short_name.startswith("turn_based_simultaneous_game")
    )


def _tells_all(game: str, form: str) -> bool:
    """Whether information states are shown in this form, rather than observations."""
    kind = load_spiel(game).get_type()
    observed = _is_open(game) and getattr(kind, f"provides_observation_{form}")
    return bool(getattr(kind, f"provides_information_state_{form}")) and not observed


def _tensor(game: str, state: SpielState, seat: int) -> Any:
    if _tells_all(game, "tensor"):
        return state.inner.information_state_tensor(seat)
    return state.inner.observation_tensor(seat)


@lru_cache(maxsize=64)
def _is_scaled(game: str) -> bool:
    """Whether all entries of observations lie in [0, 1], in random play-outs."""
    rng, seats = np.random.default_rng(0), range(load_spiel(game).num_players())
    for _ in range(SAMPLED):
        state = replayed(game)
        for _ in range(SAMPLED_MOVES):
            if state.mover == TERMINAL:
                break
            if state.mover >= 0:
                for seat in seats:
                    seen = _tensor(game, state, seat)
                    if min(seen) < 0 or max(seen) > 1:
                        return False
            state = state.child(int(rng.choice(state.inner.legal_actions())))
    return True


@lru_cache(maxsize=64)
def _is_small(game: str) -> bool:
    """Whether there are at most `ENUMERABLE` histories."""
    found, layer = 1, [load_spiel(game).new_initial_state()]
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
