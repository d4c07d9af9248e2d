"""Missions over letters, drawn in three splits in words and as formulas of LTLf, or given.

| kind | formula | in words |
|---|---|---|
| order | `F (a & X F b) & F c` | go to a and after that to b; go to c at any time |
| avoid | `!a U (b & X (!c U d))` | go to b, not to a before; then go to d, not to c before |
| never | `F (a & X F b) & G !c` | go to a and after that to b; at no time go to c |

| split | letters | size |
|---|---|---|
| `train` | a to i | one or two orders of one or two letters; avoiding once or twice |
| `longer` | a to i | three orders, or orders of three letters; avoiding three times |
| `letters` | at least one of j, k, l | as in `train` |

No letter occurs twice in a formula, so that each can be satisfied wherever every letter can be
reached past the others. The kinds are the partially ordered and the avoidance tasks of "LTL2Action:
Generalizing LTL Instructions for Multi-Task RL" (2021, arXiv 2102.06858), which tests longer ones,
too; `never`, the sizes and the split by letters are our choice.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from zerogym.envs.control.temporal import ltlf
from zerogym.envs.control.temporal.missions import check_winnable
from zerogym.envs.control.temporal.reward_machines import RewardMachine, machine_of_formula
from zerogym.errors import UnknownName

Split = Literal["train", "longer", "letters"]
SPLITS: tuple[Split, ...] = get_args(Split)
LETTERS = "abcdefghijkl"
HELD_OUT = "jkl"
MAX_STATES = 64  # of a mission's machine: all that is seen in the product is kept in memory
KINDS = ("order", "avoid", "never")


@dataclass(frozen=True)
class LetterMission:
    """A mission over letters.

    Attributes:
        formula: In LTLf.
        text: In words.
        kind: Which of `KINDS`, or `given`.
    """

    formula: str
    text: str
    kind: str


def draw_mission(rng: np.random.Generator, split: Split = "train") -> LetterMission:
    """A mission drawn from a split.

    Args:
        rng: What chance there is.
        split: Which formulas.

    Raises:
        UnknownName: If there is no such split.

    Example:
        >>> mission = draw_mission(np.random.default_rng(1))
        >>> print(mission.formula)
        !a U (h & X (!e U b))
        >>> print(mission.text)
        Go to h, but not to a before that; then go to b, but not to e before that.
    """
    if split not in SPLITS:
        raise UnknownName("split", split, list(SPLITS))
    kind = KINDS[int(rng.integers(len(KINDS)))]
    letters = _letters(rng, split)
    if kind == "avoid":
        return _avoid(letters, 3 if split == "longer" else int(rng.integers(1, 3)))
    sizes = _sizes(rng, split)
    return _order(letters, sizes, letters[-1] if kind == "never" else None)


def _letters(rng: np.random.Generator, split: Split) -> list[str]:
    """Letters in a random order, of which the first ones and the last one are used."""
    known = [letter for letter in LETTERS if letter not in HELD_OUT]
    drawn = [str(letter) for letter in rng.permutation(known)]
    if split == "letters":
        drawn[int(rng.integers(2))] = HELD_OUT[int(rng.integers(len(HELD_OUT)))]
    return drawn


def _sizes(rng: np.random.Generator, split: Split) -> list[int]:
    """How many letters each order has: together at least two, at most six."""
    if split == "longer":
        shapes = [[2, 2, 2], [2, 2, 1], [3, 1, 1], [3, 2], [3, 3], [2, 1, 1]]
    else:
        shapes = [[2], [1, 1], [2, 1], [2, 2]]
    return shapes[int(rng.integers(len(shapes)))]


def _order(letters: list[str], sizes: list[int], never: str | None) -> LetterMission:
    formulas, said, rest = [], [], list(letters)
    for size in sizes:
        chain, rest = rest[:size], rest[size:]
        formula = f"F {chain[-1]}"
        for letter in reversed(chain[:-1]):
            formula = f"F ({letter} & X {formula})"
        formulas.append(formula)
        after = "".join(f" and after that to {letter}" for letter in chain[1:])
        said.append(f"go to {chain[0]}{after}" + ("" if after else " at any time"))
    if never is not None:
        formulas.append(f"G !{never}")
        said.append(f"at no time go to {never}")
    text = "; ".join(said)
    kind = "order" if never is None else "never"
    return LetterMission(" & ".join(formulas), f"{text[0].upper()}{text[1:]}.", kind)


def _avoid(letters: list[str], depth: int) -> LetterMission:
    pairs = [(letters[2 * n + 1], letters[2 * n]) for n in range(depth)]  # not before, to
    formula = ""
    for bad, good in reversed(pairs):
        formula = f"!{bad} U ({good} & X ({formula}))" if formula else f"!{bad} U {good}"
    said = [f"go to {good}, but not to {bad} before that" for bad, good in pairs]
    text = "; then ".join(said)
    return LetterMission(formula, f"{text[0].upper()}{text[1:]}.", "avoid")


def given_mission(formula: str) -> LetterMission:
    """The mission of a user's formula.

    Raises:
        UnknownName: If it speaks of something that is no letter of the world.
        ValueError: If it cannot be read, is too large, or no episode can make it true.
    """
    ltlf.check_names(ltlf.parse(formula), LETTERS)
    machine_of(formula)
    text = f"Make this true by the end of the episode: {formula}."
    return LetterMission(formula, text, "given")


@lru_cache(maxsize=256)
def machine_of(formula: str) -> RewardMachine:
    """The machine of a mission, which can be won where at most one letter is visited at a time.

    Raises:
        ValueError: If it cannot be won, or has more than `MAX_STATES` states.
    """
    machine = machine_of_formula(formula)
    if len(machine) > MAX_STATES:
        raise ValueError(f"a mission may have {MAX_STATES} states, {formula!r} has {len(machine)}")
    check_winnable(machine, np.array([0, *(1 << i for i in range(len(machine.events)))]))
    return machine
