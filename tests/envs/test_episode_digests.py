"""Digests of episodes, by which the generic tests compare them."""

import numpy as np

from helpers.episodes import digest


def test_digests_tell_apart_what_differs() -> None:
    long = np.zeros(2000, np.float32)  # when it is printed, most of it is left out
    other = long.copy()
    other[1000] = 1e-30
    kinds = [
        long, other, long.astype(float), long[None], (long,), [long], (long, ""), {"a": long},
        ("a", "b"), ("ab",), "ab", ("a", ("b",)), 1, 1.0, True, np.float32(1), {"a": 1, "b": 2},
        {"a": {"b": 2}}, {"a": "1, b"},
    ]  # fmt: skip
    assert len({digest(kind) for kind in kinds}) == len(kinds)
    assert digest({"a": 1, "b": long}) == digest({"b": long.copy(), "a": 1})
