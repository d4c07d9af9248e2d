"""Numbers: sums, gaps, runs and pairs in a long list of integers."""

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick
from zerogym.envs.tools.notebook.puzzle import INTEGER, FilePuzzle, sample_names, scaled

MAX_NUMBERS = 2000
Kind = Literal["climb", "gap", "inversions", "run", "pairs", "common"]
# How numbers are written, what stands between them, and the base in which they are read.
STYLES = (("{}", "\n", 10), ("{}", ", ", 10), ("<{}>", "\n", 10), ("{:#x}", " ", 16))


@dataclass(frozen=True)
class NumberPuzzle(FilePuzzle):
    """A list of integers, perhaps cut down first, and a question about it.

    Attributes:
        numbers: The list, in order.
        style: Number of the style of the file.
        kind: `climb`, the largest sum of a strictly increasing subsequence; `gap`, the second
            largest between neighbours in order of size; `inversions`, pairs in the wrong order;
            `run`, the largest sum of numbers in a row; `pairs` whose sum `divisor` divides;
            `common`, the most frequent number below `divisor` of the remainders.
        divisor: What `pairs` and `common` divide by.
        drop: Numbers that this divides are left out first; None if all stay.
    """

    category: ClassVar[str] = "numbers"
    numbers: tuple[int, ...]
    style: int
    kind: Kind
    divisor: int
    drop: int | None

    @property
    def question(self) -> str:
        question = {
            "climb": "What is the largest sum of a strictly increasing subsequence (keep the "
            "order, leave out any numbers)?",
            "gap": "Sort the different numbers by size and take the differences between "
            "neighbours. What is the second largest difference (equal to the largest, if that "
            "comes twice)?",
            "inversions": "How many pairs are there of which the number that comes first in the "
            "list is the larger?",
            "run": "What is the largest sum of one or more numbers in a row?",
            "pairs": "How many pairs of two positions have numbers whose sum is divisible by "
            f"{self.divisor}?",
            "common": f"Take the remainder (0 to {self.divisor - 1}) of each number on division by "
            f"{self.divisor}. Which remainder comes most often? Of equal ones, the smallest.",
        }[self.kind]
        drop = "" if self.drop is None else f" First drop the numbers divisible by {self.drop}."
        return f"{self.file} holds a list of integers.{drop} {question} {INTEGER}"

    def text(self) -> str:
        form, separator, _ = STYLES[self.style]
        return separator.join(map(form.format, self.numbers)) + "\n"

    def solve(self) -> str:
        kept = self._kept()
        remainders = Counter(number % self.divisor for number in kept)
        match self.kind:
            case "climb":
                return str(_climb(kept))
            case "gap":
                return str(sorted(b - a for a, b in pairwise(sorted(set(kept))))[-2])
            case "inversions":
                return str(sum(later < n for at, n in enumerate(kept) for later in kept[at + 1 :]))
            case "run":
                return str(max(accumulate(kept, lambda best, number: max(best, 0) + number)))
            case "pairs":
                ordered = sum(
                    count * remainders[-n % self.divisor] for n, count in remainders.items()
                )
                own = sum(count for n, count in remainders.items() if 2 * n % self.divisor == 0)
                return str((ordered - own) // 2)
        return str(min(remainders, key=lambda n: (-remainders[n], n)))

    def is_sound(self) -> bool:
        return len(set(self._kept())) > 3

    def _kept(self) -> list[int]:
        return [n for n in self.numbers if self.drop is None or n % self.drop]

    def program(self) -> str:
        base = STYLES[self.style][2]
        drop = f"numbers = [n for n in numbers if n % {self.drop}]\n" if self.drop else ""
        return (
            _READER.format(file=self.file, base=base)
            + drop
            + f"divisor = {self.divisor}\n"
            + _FINISH[self.kind]
        )


def _climb(numbers: list[int]) -> int:
    best: list[int] = []
    for place, number in enumerate(numbers):
        below = (b for b, n in zip(best, numbers[:place], strict=True) if n < number)
        best.append(number + max(0, max(below, default=0)))
    return max(best)


_READER = """\
import re
numbers = [int(n, {base}) for n in re.findall("-?[0-9a-fx]+", open({file!r}).read())]
"""
_FINISH = {
    "climb": """\
from bisect import bisect_left
ends, sums = [], []  # the sums grow with the ends
for n in numbers:
    at = bisect_left(ends, n)
    total = n + max(0, sums[at - 1] if at else 0)
    if (at and sums[at - 1] >= total) or (ends[at:at + 1] == [n] and sums[at] >= total):
        continue
    stop = at
    while stop < len(ends) and sums[stop] <= total:
        stop += 1
    ends[at:stop], sums[at:stop] = [n], [total]
print(max(sums))""",
    "gap": """\
numbers = sorted(set(numbers))
print(sorted(b - a for a, b in zip(numbers, numbers[1:]))[-2])""",
    "inversions": """\
from bisect import bisect_right, insort
seen, found = [], 0
for n in numbers:
    found += len(seen) - bisect_right(seen, n)
    insort(seen, n)
print(found)""",
    "run": """\
from itertools import accumulate
sums = [0, *accumulate(numbers)]
least, best = 0, max(numbers)
for total in sums[1:]:
    best, least = max(best, total - least), min(least, total)
print(best)""",
    "pairs": """\
from collections import Counter
left = Counter(n % divisor for n in numbers)
ordered = sum(left[a] * left[-a % divisor] for a in list(left))
same = sum(left[a] for a in left if 2 * a % divisor == 0)
print((ordered - same) // 2)""",
    "common": """\
from collections import Counter
left = Counter(n % divisor for n in numbers)
print(min(left, key=lambda n: (-left[n], n)))""",
}


def sample_numbers(rng: np.random.Generator, difficulty: float, hidden: bool) -> NumberPuzzle:
    """From about 60 numbers on, some of them negative."""
    count = scaled(rng, difficulty, 60, MAX_NUMBERS)
    (name,) = sample_names(rng, 1)
    high = draw_int(rng, 500, 5000)
    return NumberPuzzle(
        hidden=hidden,
        name=name,
        numbers=tuple(draw_ints(rng, -high, high, count)),
        style=draw_int(rng, 1, 3) if hidden else 0,
        kind=pick(rng, get_args(Kind)),
        divisor=draw_int(rng, 30, 99),
        drop=draw_int(rng, 3, 7) if difficulty >= 1 else None,
    )
