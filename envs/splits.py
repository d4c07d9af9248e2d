"""Train and test split, decided by a stable hash of the canonical problem.

The split belongs to the problem, not to the seed: whatever seed, difficulty or machine drew it, a
problem of the test split can never appear in training.
"""

import hashlib
from typing import Literal, get_args

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
TEST_SHARE = 0.2
_KEY = b"zerogym split v0"  # changing it would move problems across the splits


def split_of(task: str, canonical: str) -> Split:
    """Return the split of a problem.

    Args:
        task: Name of the task, so that equal texts of two tasks are independent.
        canonical: The problem in canonical form: equal problems must give equal strings.
    """
    data = f"{task}\x00{canonical}".encode("utf-8", "surrogatepass")
    draw = int.from_bytes(hashlib.blake2b(data, key=_KEY, digest_size=8).digest(), "big")
    return "test" if draw < TEST_SHARE * 2**64 else "train"


def check_split(split: object) -> Split:
    """Return `split` if it is one, else raise ValueError."""
    for known in SPLITS:
        if split == known:
            return known
    raise ValueError(f"split must be one of {SPLITS}, got {split!r}")
