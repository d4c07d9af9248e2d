"""Counting without formulas: one letter, person, crossing, thing or symbol at a time."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any


def count_arrangements(data: Mapping[str, Any]) -> int:
    """Write the string letter by letter; the state is what is left, and the last letter."""
    names, rule = sorted(set(data["letters"])), data["rule"]
    special = names.index(data["which"])
    full = tuple(data["letters"].count(name) for name in names)

    @cache
    def ways(left: tuple[int, ...], last: int) -> int:
        if not any(left):
            return 1
        started = left[special] < full[special]
        found = 0
        for letter, count in enumerate(left):
            is_special = letter == special
            if (
                count == 0
                or (rule == "first" and last < 0 and not is_special)
                or (rule == "together" and is_special and started and last != special)
                or (rule == "apart" and is_special and last == special)
            ):
                continue
            found += ways((*left[:letter], count - 1, *left[letter + 1 :]), letter)
        return found

    return ways(full, -1)


def count_committees(data: Mapping[str, Any]) -> int:
    """Take one person after the other; the state is the women and men chosen, and Ada and Eva."""
    states = Counter({(0, 0, 0): 1})  # women, men, how many of Ada and Eva
    for person in range(data["women"] + data["men"]):
        is_woman, is_named = person < data["women"], person < 2
        after = Counter(states)
        for (women, men, named), ways in states.items():
            if not (data["apart"] and is_named and named):
                after[women + is_woman, men + (not is_woman), named + is_named] += ways
        states = after
    chosen = sum(
        ways
        for (women, men, _), ways in states.items()
        if women + men == data["size"] and data["low"] <= women <= data["high"]
    )
    return chosen * data["size"] if data["chair"] else chosen


def count_paths(data: Mapping[str, Any]) -> int:
    """Paths to a crossing are those to its left plus those below it."""
    blocked = {(x, y) for x, y in data["blocked"]}
    ways: dict[tuple[int, int], int] = defaultdict(int)
    ways[0, 0] = 1
    for x in range(data["wide"] + 1):
        for y in range(data["high"] + 1):
            if (x, y) in blocked:
                ways[x, y] = 0
            elif (x, y) != (0, 0):
                ways[x, y] = ways[x - 1, y] + ways[x, y - 1]
    return ways[data["wide"], data["high"]]


def count_distributions(data: Mapping[str, Any]) -> int:
    """Place thing after thing, or fill box after box."""
    things, boxes = data["things"], data["boxes"]
    if data["sort"] == "surjective":
        used = Counter({0: 1})  # how many boxes are not empty
        for _ in range(things):
            after: Counter[int] = Counter()
            for count, ways in used.items():
                after[count] += ways * count
                after[count + 1] += ways * (boxes - count)
            used = after
        return used[boxes]
    if data["sort"] == "shares":
        return _count_placements(tuple(sorted(data["sizes"])))
    totals = Counter({0: 1})
    for _ in range(boxes):
        after = Counter()
        for total, ways in totals.items():
            for more in range(data["least"], data["most"] + 1):
                after[total + more] += ways
        totals = after
    return totals[things]


def _count_placements(sizes: tuple[int, ...]) -> int:
    """Ways to place different things one by one into boxes until each holds its number."""

    @cache
    def ways(room: tuple[int, ...]) -> int:
        if not any(room):
            return 1
        found = 0
        for box, left in enumerate(room):
            if left:
                found += ways(tuple(sorted((*room[:box], left - 1, *room[box + 1 :]))))
        return found

    return ways(sizes)


def count_strings(data: Mapping[str, Any]) -> int:
    """Write symbol after symbol; the state is the longest end that begins the pattern."""
    pattern = data["pattern"]
    states = Counter({"": 1})
    for _ in range(data["length"]):
        after: Counter[str] = Counter()
        for end, ways in states.items():
            for letter in data["alphabet"]:
                text = end + letter
                while not pattern.startswith(text):
                    text = text[1:]
                if text != pattern:
                    after[text] += ways
        states = after
    return sum(states.values())


COUNTS: dict[str, Callable[[Mapping[str, Any]], int]] = {
    "arrangements": count_arrangements, "committees": count_committees, "paths": count_paths,
    "distributions": count_distributions, "strings": count_strings,
}  # fmt: skip
