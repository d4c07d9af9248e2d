"""Questions of combinatorics, each with the formula that answers it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, factorial, prod
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of, shuffled

MAX_LETTERS = 16
HOW_MANY = "In how many ways can that be done? The order on a shelf or in a box is ignored."


@dataclass(frozen=True)
class Question:
    """A question, its answer by formula, how it was found, and typical wrong answers."""

    text: str
    answer: int
    steps: list[str]
    wrong: list[int]
    data: dict[str, Any]


def arrangements(rng: np.random.Generator, level: int) -> Question:
    """Arrange letters of which some are equal; perhaps one letter's copies (not) together."""
    size = min(draw_int(rng, 5 + 3 * level, 7 + 4 * level), MAX_LETTERS)
    pool = "ABCDEFG"[: draw_int(rng, 4, 7)]
    letters = sorted(["A", "B", *(pick(rng, pool) for _ in range(size - 2))])
    counts = {letter: letters.count(letter) for letter in dict.fromkeys(letters)}
    which = pick(rng, list(counts))
    copies = counts[which]
    rules = ["none"] if level == 0 else ["first"] if copies == 1 else ["first", "together", "apart"]
    rule = pick(rng, rules)
    if rule == "apart" and 2 * copies > size + 1:
        rule = "together"  # it cannot be avoided that two are neighbours
    others = [n for letter, n in counts.items() if letter != which]
    rest = size - copies
    free = _multinomial([copies, *others])
    text = f"How many different strings can be made from all of the letters {', '.join(letters)}"
    line = f"All strings: {size}! / {_factorials([copies, *others])} = {free}"
    base = _multinomial(others)
    if rule == "none":
        answer, wrong, steps = free, [factorial(size), free // 2], [line]
    elif rule == "first":
        text += f", if the first letter is {which}"
        answer = _multinomial([copies - 1, *others])
        steps = [f"After the {which}: {size - 1}! / {_factorials([copies - 1, *others])}"]
        wrong = [free, factorial(size - 1)]
    elif rule == "together":
        text += f", if every {which} stands in one block without another letter between"
        answer = base * (rest + 1)
        steps = [f"The others: {base} ways; {rest + 1} places for the block of {which}"]
        wrong = [base, answer * factorial(copies), free]
    else:
        text += f", if no {which} stands next to another {which}"
        answer = base * comb(rest + 1, copies)
        steps = [f"The others: {base} ways; C({rest + 1},{copies}) choices of gaps for {which}"]
        wrong = [free - base * (rest + 1), base * (rest + 1), free]
    data = {"letters": "".join(letters), "rule": rule, "which": which}
    return Question(f"{text}?", answer, steps, wrong, data)


def committees(rng: np.random.Generator, level: int) -> Question:
    """Choose people of two groups with bounds, a chair, and two who do not work together."""
    women, men = draw_int(rng, 3, 6 + level), draw_int(rng, 3, 6 + level)
    size = draw_int(rng, 2, min(women + men - 1, 4 + level))
    low, high = 0, size
    if level:
        value = draw_int(rng, max(0, size - men), min(women, size))
        low, high = pick(rng, [(value, value), (value, size), (0, value)])
    apart = rng.random() < 0.5 and level > 1 and low < women
    chair = level > 0 and rng.random() < 0.5
    text = f"From {women} women and {men} men a committee of {size} people is chosen"
    if (low, high) != (0, size):
        bound = f"exactly {low}" if low == high else f"at least {low}" if low else f"at most {high}"
        text += f", with {bound} {'woman' if bound.endswith(' 1') else 'women'}"
    text += ", and one of the committee is made its chair" if chair else ""
    text += ". Two of the women, Ada and Eva, refuse to be in it together" if apart else ""
    answer, steps = 0, []
    for chosen in range(max(low, size - men), min(high, women, size) + 1):
        ways = comb(women, chosen) - (comb(women - 2, chosen - 2) if apart and chosen > 1 else 0)
        answer += ways * comb(men, size - chosen)
        pick_women = f"C({women},{chosen})"
        if apart and chosen > 1:
            pick_women = f"({pick_women} - C({women - 2},{chosen - 2}))"
        steps.append(
            f"{chosen} {'woman' if chosen == 1 else 'women'}: {pick_women} * "
            f"C({men},{size - chosen}) = {ways * comb(men, size - chosen)}"
        )
    steps.append(f"Sum: {answer}")
    wrong = [comb(women + men, size), answer * factorial(size)]
    if chair:
        answer, wrong = answer * size, [answer, *wrong]
        steps.append(f"times {size} for the chair: {answer}")
    data = {
        "women": women, "men": men, "size": size, "low": low, "high": high, "apart": apart,
        "chair": chair,
    }  # fmt: skip
    return Question(f"{text}. How many ways are there?", answer, steps, wrong, data)


def paths(rng: np.random.Generator, level: int) -> Question:
    """Shortest paths in a grid that avoid blocked crossings."""
    east, north = draw_int(rng, 0, 9), draw_int(rng, 0, 9)  # of the start: it changes no answer
    while True:
        wide, high = draw_int(rng, 2, 5 + level), draw_int(rng, 2, 5 + level)
        inner = [(x, y) for x in range(wide + 1) for y in range(high + 1)][1:-1]
        blocked = sorted(sample_of(rng, inner, min(level, 5)))
        steps: list[str] = []
        reach: list[int] = []  # paths to each blocked crossing and to the goal by no earlier one
        goals = [*blocked, (wide, high)]
        for place, (x, y) in enumerate(goals):
            ways, line = comb(x + y, x), f"to ({x + east},{y + north}): C({x + y},{x})"
            for (p, q), before in zip(goals[:place], reach, strict=True):
                if p <= x and q <= y and before:
                    ways -= before * comb(x - p + y - q, x - p)
                    line += f" - {before} * C({x - p + y - q},{x - p})"
            reach.append(ways)
            steps.append(f"{line} = {ways}")
        if reach[-1] > 0:
            break
    text = (
        f"A walker goes from the crossing ({east},{north}) of a street grid to "
        f"({wide + east},{high + north}); each step adds 1 to one of the two coordinates"
    )
    if blocked:
        listed = ", ".join(f"({x + east},{y + north})" for x, y in blocked)
        steps.insert(0, "Paths that meet no blocked crossing before their end:")
        text += f". The walker must not enter {listed}"
    free = comb(wide + high, wide)
    wrong = [free, sum(reach[:-1]), wide * high, 2 ** (wide + high)]
    data = {"wide": wide, "high": high, "blocked": [list(point) for point in blocked]}
    return Question(f"{text}. How many paths are there?", reach[-1], steps, wrong, data)


def distributions(rng: np.random.Generator, level: int) -> Question:
    """Different things into boxes (none empty, or of given sizes), or equal things with bounds."""
    kind = pick(rng, ("surjective", "shares", "equal"))
    boxes = draw_int(rng, 2, 3 + (level + 1) // 2)
    things = draw_int(rng, boxes + 1, boxes + 4 + level)
    if kind == "equal":
        return _equal(rng, things + 4, boxes)
    if kind == "surjective":
        terms = [(-1) ** j * comb(boxes, j) * (boxes - j) ** things for j in range(boxes)]
        shown = [f"C({boxes},{j}) * {boxes - j}^{things}" for j in range(boxes)]
        text = f"{things} different books are put on {boxes} different shelves so that none stays "
        text += "empty"
        step = f"Inclusion and exclusion, signs + - + ...: {'; '.join(shown)}; sum {sum(terms)}"
        wrong = [boxes**things, factorial(boxes) * boxes ** (things - boxes)]
        data: dict[str, Any] = {}
        answer = sum(terms)
    else:
        cuts = sorted(sample_of(rng, range(1, things), boxes - 1))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, things], strict=True)]
        listed = ", ".join(map(str, sizes))
        text = f"{things} different books are put on {boxes} different shelves that take exactly "
        text += f"{listed} of them"
        answer = _multinomial(sizes)
        step = f"{things}! / {_factorials(sizes)}"
        wrong = [boxes**things, factorial(things), answer * factorial(boxes)]
        data = {"sizes": sizes}
    data |= {"sort": kind, "things": things, "boxes": boxes}
    return Question(f"{text}. {HOW_MANY}", answer, [step], wrong, data)


def _equal(rng: np.random.Generator, things: int, boxes: int) -> Question:
    """Equal coins in different boxes with bounds."""
    least, most = draw_int(rng, 0, 1), draw_int(rng, -(-things // boxes), things)
    spare, span = things - least * boxes, most - least + 1
    terms = [
        (-1) ** j * comb(boxes, j) * comb(spare - j * span + boxes - 1, boxes - 1)
        for j in range(boxes + 1)
        if spare >= j * span
    ]
    text = f"{things} equal coins are put into {boxes} different boxes so that each box "
    text += f"holds at least {least} and at most {most} of them"
    step = (
        f"Stars and bars for {spare} coins beyond the least, without boxes that have "
        f"{span} or more of these: {' + '.join(map(str, terms))}"
    )
    wrong = [comb(things + boxes - 1, boxes - 1), terms[0], boxes**things]
    data = {"sort": "equal", "things": things, "boxes": boxes, "least": least, "most": most}
    return Question(f"{text}. {HOW_MANY}", sum(terms), [step], wrong, data)


def strings(rng: np.random.Generator, level: int) -> Question:
    """Strings without a pattern: the recurrence over the overlaps of the pattern with itself."""
    alphabet = shuffled(rng, "ABCDEF")[: draw_int(rng, 2, 4)]
    alphabet.sort()
    length, size = draw_int(rng, 4 + level, 8 + level), draw_int(rng, 2, 3)
    pattern = "".join(pick(rng, alphabet) for _ in range(size))
    overlaps = [k for k in range(1, size) if pattern[k:] == pattern[: size - k]]
    letters = len(alphabet)
    without, ending = [1], [0]
    recurrence = " - ".join([f"a(n-{size})", *(f"b(n-{k})" for k in overlaps)])
    steps = [
        f"Let a(n) count the strings of length n without {pattern}, and b(n) those that have it "
        "only at their end.",
        f"a(n) = {letters} a(n-1) - b(n) and b(n) = {recurrence}; a(0) = 1",
    ]
    for n in range(1, length + 1):
        first = without[n - size] if n >= size else 0
        ending.append(first - sum(ending[n - k] for k in overlaps if n >= size))
        without.append(letters * without[-1] - ending[-1])
        steps.append(f"b({n}) = {ending[-1]}, a({n}) = {without[-1]}")
    text = (
        f"Think of all strings of length {length} over the letters {', '.join(alphabet)}.\n"
        f"How many of them do not contain {pattern} as consecutive letters?"
    )
    wrong = [
        letters**length,
        letters**length - (length - size + 1) * letters ** (length - size),
        without[-2],
    ]
    data = {"alphabet": "".join(alphabet), "length": length, "pattern": pattern}
    return Question(text, without[-1], steps, wrong, data)


def _multinomial(sizes: list[int]) -> int:
    return factorial(sum(sizes)) // prod(map(factorial, sizes))


def _factorials(sizes: list[int]) -> str:
    return "(" + " * ".join(f"{size}!" for size in sizes) + ")"


QUESTIONS: dict[str, Callable[[np.random.Generator, int], Question]] = {
    "arrangements": arrangements, "committees": committees, "paths": paths,
    "distributions": distributions, "strings": strings,
}  # fmt: skip
