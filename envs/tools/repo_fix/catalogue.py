"""The functions of which repositories are made."""

from collections import Counter
from itertools import groupby

import numpy as np

from zerogym.envs.reasoning.draws import draw_ints
from zerogym.envs.tools.repo_fix.units import Bug, Unit

_WORDS = ("red", "Green", "blue", "Dark", "pale", "RED", "green", "sky", "Sky", "a", "of", "dark")


def _ints(
    rng: np.random.Generator, low: int, high: int, least: int = 0, most: int = 7
) -> list[int]:
    return draw_ints(rng, low, high, int(rng.integers(least, most + 1)))


def _text(rng: np.random.Generator) -> str:
    return " ".join(_WORDS[i] for i in _ints(rng, 0, len(_WORDS) - 1))


def _spans(rng: np.random.Generator) -> list[list[int]]:
    lows = _ints(rng, 0, 12, 1, 6)
    return [[low, low + int(rng.integers(1, 5))] for low in lows]


def _scores(rng: np.random.Generator) -> dict[str, int]:
    values = _ints(rng, 1, 3, 2, 6)
    order = [int(i) for i in rng.permutation(len(values))]
    return {"fcadbe"[index]: values[index] for index in order}


def _merged(spans: list[list[int]]) -> list[list[int]]:
    """Merge by the points, twice as fine, that the spans cover."""
    points = {point for low, high in spans for point in range(2 * low, 2 * high + 1)}
    starts = sorted(point for point in points if point - 1 not in points)
    ends = sorted(point for point in points if point + 1 not in points)
    return [[start // 2, end // 2] for start, end in zip(starts, ends, strict=True)]


def _digits(number: int, base: int) -> list[int]:
    places = next(n for n in range(1, 99) if base**n > number)
    return [number // base**place % base for place in range(places - 1, -1, -1)]


def _nearest(values: list[int], target: int) -> int:
    distance = min(abs(value - target) for value in values)
    return target - distance if target - distance in values else target + distance


UNITS: tuple[Unit, ...] = (
    Unit(
        ("window_sums", "rolling_sums", "moving_sums"),
        "values, size",
        "Return the sums of all runs of `size` neighbouring values.",
        """\
    sums = []
    for start in range(len(values) - size + 1):
        sums.append(sum(values[start : start + size]))
    return sums
""",
        (
            Bug("boundary", "len(values) - size + 1", "len(values) - size"),
            Bug("boundary", "start : start + size", "start : start + size - 1"),
        ),
        lambda a, k: [sum(a[0][end - a[1] : end]) for end in range(a[1], len(a[0]) + 1)],
        lambda rng: [_ints(rng, 1, 9, 2), int(rng.integers(1, 4))],
    ),
    Unit(
        ("word_counts", "count_words", "frequencies"),
        "text",
        "Count the words of at least K letters; upper and lower case are the same.",
        """\
    counts = {}
    for word in text.lower().split():
        if len(word) >= K:
            counts[word] = counts.get(word, 0) + 1
    return counts
""",
        (
            Bug("missing", "text.lower().split()", "text.split()"),
            Bug("boundary", "len(word) >= K", "len(word) > K"),
            Bug("constant", "counts.get(word, 0)", "counts.get(word, 1)"),
        ),
        lambda a, k: dict(Counter(word for word in a[0].lower().split() if len(word) >= k)),
        lambda rng: [_text(rng)],
    ),
    Unit(
        ("merge_spans", "join_ranges", "merge_ranges"),
        "spans",
        "Merge [low, high] pairs that overlap or touch; the result is in order.",
        """\
    merged = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return merged
""",
        (
            Bug("boundary", "low <= merged", "low < merged"),
            Bug("missing", "in sorted(spans)", "in spans"),
            Bug("operator", "max(merged[-1][1], high)", "high"),
        ),
        lambda a, k: _merged(a[0]),
        lambda rng: [_spans(rng)],
    ),
    Unit(
        ("leaders", "best_names", "top_names"),
        "scores, number",
        "Return so many names with the highest scores; equal scores in the order of the names.",
        """\
    order = sorted(scores, key=lambda name: (-scores[name], name))
    return order[:number]
""",
        (
            Bug("order", "(-scores[name], name)", "(scores[name], name)"),
            Bug("missing", "(-scores[name], name)", "-scores[name]"),
            Bug("boundary", "order[:number]", "order[: number + 1]"),
        ),
        lambda a, k: [n for _, n in sorted((-s, n) for n, s in a[0].items())][: a[1]],
        lambda rng: [_scores(rng), int(rng.integers(1, 4))],
    ),
    Unit(
        ("run_lengths", "encode_runs", "runs_of"),
        "text",
        "Return [letter, length] for each run of equal letters.",
        """\
    runs = []
    for letter in text:
        if runs and runs[-1][0] == letter:
            runs[-1][1] += 1
        else:
            runs.append([letter, 1])
    return runs
""",
        (
            Bug("constant", "[letter, 1]", "[letter, 0]"),
            Bug("operator", "runs[-1][0] == letter", "runs[0][0] == letter"),
        ),
        lambda a, k: [[letter, len(list(run))] for letter, run in groupby(a[0])],
        lambda rng: ["".join("aabc"[i] for i in _ints(rng, 0, 3, 0, 9))],
    ),
    Unit(
        ("digits_of", "to_digits", "in_base"),
        "number",
        "Return the digits of a number >= 0 in base K, the highest first; [0] for 0.",
        """\
    if number == 0:
        return [0]
    digits = []
    while number > 0:
        digits.append(number % K)
        number //= K
    return digits[::-1]
""",
        (
            Bug("missing", "    if number == 0:\n        return [0]\n", ""),
            Bug("order", "return digits[::-1]", "return digits"),
            Bug("operator", "number % K", "number // K"),
        ),
        lambda a, k: _digits(a[0], k),
        lambda rng: [int(rng.integers(0, 100)) * int(rng.integers(0, 3))],
    ),
    Unit(
        ("balance_after", "final_balance", "settle"),
        "start, amounts",
        "Return the balance after all amounts; each negative one costs K more.",
        """\
    total = start
    for amount in amounts:
        total += amount
        if amount < 0:
            total -= K
    return total
""",
        (
            Bug("constant", "total = start", "total = 0"),
            Bug("operator", "total -= K", "total += K"),
            Bug("boundary", "amount < 0", "amount <= 0"),
        ),
        lambda a, k: a[0] + sum(a[1]) - k * len([x for x in a[1] if x < 0]),
        lambda rng: [int(rng.integers(1, 50)), _ints(rng, -2, 3)],
    ),
    Unit(
        ("shift_letters", "rotate_text", "encipher"),
        "text",
        "Move each letter from a to z on by K places, from z on to a; keep all other characters.",
        """\
    moved = ""
    for letter in text:
        if "a" <= letter <= "z":
            moved += chr((ord(letter) - 97 + K) % 26 + 97)
        else:
            moved += letter
    return moved
""",
        (
            Bug("constant", "% 26", "% 25"),
            Bug("boundary", '"a" <= letter <= "z"', '"a" < letter <= "z"'),
            Bug("missing", "        else:\n            moved += letter\n", ""),
        ),
        lambda a, k: a[0].translate({97 + i: 97 + (i + k) % 26 for i in range(26)}),
        lambda rng: ["".join("abmyz A-"[i] for i in _ints(rng, 0, 7, 1, 9))],
    ),
    Unit(
        ("chunks_of", "split_evenly", "batches"),
        "values",
        "Cut a list into lists of K values; the last one may be shorter.",
        """\
    parts = []
    for start in range(0, len(values), K):
        parts.append(values[start : start + K])
    return parts
""",
        (
            Bug("boundary", "range(0, len(values), K)", "range(0, len(values) - 1, K)"),
            Bug("constant", "range(0, len(values), K)", "range(1, len(values), K)"),
            Bug("operator", "start : start + K", "start:"),
        ),
        lambda a, k: [a[0][k * i : k * i + k] for i in range(-(-len(a[0]) // k))],
        lambda rng: [_ints(rng, 1, 9, 0, 9)],
    ),
    Unit(
        ("nearest_to", "closest", "nearest_value"),
        "values, target",
        "Return the value nearest to the target; of two that are equally near, the smaller.",
        """\
    best = values[0]
    for value in values[1:]:
        if (abs(value - target), value) < (abs(best - target), best):
            best = value
    return best
""",
        (
            Bug("missing", "(abs(value - target), value) < (abs(best - target), best)",
                "abs(value - target) < abs(best - target)"),
            Bug("operator", "abs(best - target), best)", "best - target, best)"),
            Bug("boundary", "values[1:]", "values[1:-1]"),
        ),
        lambda a, k: _nearest(a[0], a[1]),
        lambda rng: [_ints(rng, 0, 6, 1), int(rng.integers(0, 7))],
    ),
    Unit(
        ("without_repeats", "distinct", "first_of_each"),
        "values",
        "Return the different values in the order in which each came first.",
        """\
    known = set()
    kept = []
    for value in values:
        if value not in known:
            known.add(value)
            kept.append(value)
    return kept
""",
        (
            Bug("missing", "            known.add(value)\n", ""),
            Bug("order", "return kept", "return sorted(kept)"),
        ),
        lambda a, k: list(dict.fromkeys(a[0])),
        lambda rng: [_ints(rng, 1, 5, 0, 8)],
    ),
    Unit(
        ("grade_of", "mark_for", "level_of"),
        "points, bonus",
        "Return 'high' from K points on, 'low' below 3, else 'middle'; the bonus counts.",
        """\
    total = points + bonus
    if total >= K:
        return "high"
    if total < 3:
        return "low"
    return "middle"
""",
        (
            Bug("boundary", "total >= K", "total > K"),
            Bug("operator", "points + bonus", "points - bonus"),
            Bug("constant", "total < 3", "total < 2"),
        ),
        lambda a, k: ("low", "middle", "high")[(sum(a) > 2) + (sum(a) >= k)],
        lambda rng: [int(rng.integers(0, 8)), int(rng.integers(0, 3))],
    ),
)  # fmt: skip
