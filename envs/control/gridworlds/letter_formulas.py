"""Missions over letters, in words and as LTLf formulas, drawn in three splits or given.

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

from collections.abc import Sequence
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
TRAINED, HELD_OUT = LETTERS[:9], LETTERS[9:]
MAX_STATES = 64  # of a mission's machine: the observations of the product are stored as a table
KINDS = ("order", "avoid", "never")
# Numbers of letters in each order of a mission.
_SHORT = ((2,), (1, 1), (2, 1), (2, 2))
_LONGER = ((2, 2, 2), (2, 2, 1), (3, 1, 1), (3, 2), (3, 3), (2, 1, 1))


@dataclass(frozen=True)
class LetterMission:
    """A mission over letters.

    Attributes:
        formula: In LTLf.
        text: In words.
        kind: One of `KINDS`, or `given`.
    """

    formula: str
    text: str
    kind: str


def draw_mission(rng: np.random.Generator, split: Split = "train") -> LetterMission:
    """Draw a mission from a split.

    Args:
        rng: Random generator.
        split: The kinds of formulas.

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
    # The first letters and the last one are used.
    letters = [str(letter) for letter in rng.permutation([*TRAINED])]
    if split == "letters":
        letters[int(rng.integers(2))] = HELD_OUT[int(rng.integers(len(HELD_OUT)))]
    if kind == "avoid":
        return _avoid(letters, 3 if split == "longer" else int(rng.integers(1, 3)))
    shapes = _LONGER if split == "longer" else _SHORT
    sizes = shapes[int(rng.integers(len(shapes)))]
    return _order(letters, sizes, letters[-1] if kind == "never" else None)


def _order(letters: list[str], sizes: Sequence[int], never: str | None) -> LetterMission:
    formulas, said, rest = [], [], list(letters)
    for size in sizes:
        chain, rest = rest[:size], rest[size:]
        formulas.append(ltlf.in_order(chain))
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
    """Return the mission of a user's formula.

    Raises:
        UnknownName: If it names an event that is no letter.
        ValueError: If it cannot be read, is too large, or no episode can make it true.
    """
    ltlf.check_names(ltlf.parse(formula), LETTERS)
    machine_of(formula)
    text = f"Make this true by the end of the episode: {formula}."
    return LetterMission(formula, text, "given")


@lru_cache(maxsize=256)
def machine_of(formula: str) -> RewardMachine:
    """Return the machine of a mission that can be won with at most one letter at a time.

    Raises:
        ValueError: If it cannot be won, or has more than `MAX_STATES` states.
    """
    machine = machine_of_formula(formula)
    if len(machine) > MAX_STATES:
        raise ValueError(f"a mission may have {MAX_STATES} states, {formula!r} has {len(machine)}")
    check_winnable(machine, np.array([0, *(1 << i for i in range(len(machine.events)))]))
    return machine
