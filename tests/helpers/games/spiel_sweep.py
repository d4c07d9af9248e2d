"""Plays games of OpenSpiel whose names come on stdin, and writes one line of JSON for each.

It is a program of its own, because a defect of the library may end the process that calls it.
"""

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.core.seat_views import first_message, retry_message
from zerogym.envs.games.open_spiel.open_spiel import OpenSpiel
from zerogym.envs.games.open_spiel.state import load_spiel
from zerogym.envs.games.open_spiel.text import MAX_TEXT

READ = 40  # decisions of a game whose texts are read
MOVES = 30  # of each, those that are written and read again


def sweep(names: Sequence[str], timeout: float) -> dict[str, dict[str, Any]]:
    """The result of each game; `crash` where the process ended."""
    results: dict[str, dict[str, Any]] = {}
    while len(results) < len(names):
        left = names[len(results) :]
        child = subprocess.run(
            [sys.executable, __file__],
            input="\n".join(left),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        for name, line in zip(left, child.stdout.splitlines(), strict=False):
            results[name] = json.loads(line)
        if child.returncode != 0:
            results[names[len(results)]] = {"crash": child.returncode, "error": child.stderr[-900:]}
    return results


def main() -> None:
    """Play each game, or tell why it is refused."""
    for name in sys.stdin.read().splitlines():
        try:
            found = play(OpenSpiel(name))
        except ValueError as error:
            found = {"refused": str(error)}
        except Exception as error:  # reported to the test, like everything else
            found = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def play(game: OpenSpiel) -> dict[str, Any]:
    """A random game to its end: its length, its longest text, and whether one was shortened."""
    began, rng, plies, longest, short = time.monotonic(), np.random.default_rng(0), 0, 0, False
    low, high = game.payoff_range
    assert isfinite(low) and isfinite(high) and low < high, (low, high)
    known = load_spiel(game.game)
    numbers = "tensor" in known.observed | known.remembered
    every = max(1, known.loaded.max_game_length() // READ)
    state = deal(game, game.initial(), rng)
    while game.to_move(state) != TERMINAL:
        if plies < READ or plies % every == 0:
            length, cut = read(game, state, numbers)
            longest, short = max(longest, length), short or cut
        if game.simultaneous and game.to_move(state) == 0 and plies < READ:
            unseen(game, state, numbers)
        before, text = state, str(state.inner)
        state = deal(game, game.apply(state, int(rng.choice(game.legal(state)))), rng)
        assert str(before.inner) == text, "a state was changed by a move"
        plies += 1
        if plies == 5:
            same(state)
    same(state)
    read(game, state, numbers)
    payoffs = game.payoff(state)
    assert low <= min(payoffs) and max(payoffs) <= high, payoffs
    assert not game.zero_sum or abs(sum(payoffs)) < 1e-6, payoffs
    seconds = round(time.monotonic() - began, 1)
    return {"plies": plies, "longest": longest, "short": short, "numbers": numbers} | {
        "seconds": seconds
    }


def same(state: Any) -> None:
    """A state that is restored from its history is the same."""
    other = pickle.loads(pickle.dumps(state))
    assert other == state and str(other.inner) == str(state.inner)
    assert other.inner.history() == list(state.history) and other.legal == state.legal


def read(game: OpenSpiel, state: Any, numbers: bool) -> tuple[int, bool]:
    """Every text fits, and every move is understood under its name."""
    texts = [
        f(game, state, s) for f in (first_message, retry_message) for s in range(game.num_seats)
    ]
    assert max(map(len, texts)) <= MAX_TEXT
    assert not any("\x1b" in text for text in texts)
    for seat in range(game.num_seats):
        if numbers:
            vector = game.observe(state, seat)
            assert vector.shape == (game.observation_size,) and vector.dtype == np.float32
            assert vector.min() >= 0 and vector.max() <= 1
    mover = game.to_move(state)
    for action in game.legal(state)[:MOVES]:
        name = game.action_name(state, action)
        assert name in game.describe(state, mover), name
        assert game.parse(state, f"<answer>{name}</answer>") == action, name
        assert game.parse(state, name.lower()) == action, name
    short = any("left out]" in text or "written alike" in text for text in texts)
    return max(map(len, texts)), short


def unseen(game: OpenSpiel, state: Any, numbers: bool) -> None:
    """In simultaneous moves no later seat sees an earlier one's; all move once."""
    for seat in range(1, game.num_seats):
        legal = game.legal(state)
        after = [game.apply(state, action) for action in (legal[0], legal[-1])]
        assert [game.to_move(each) for each in after] == [seat, seat]
        assert len({game.describe(each, seat) for each in after}) == 1
        assert len({game.info_key(each, seat) for each in after}) == 1
        assert not numbers or len({game.observe(each, seat).tobytes() for each in after}) == 1
        state = after[0]


if __name__ == "__main__":
    main()
