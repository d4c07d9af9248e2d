"""Bayes' rule for a few hypotheses: a bag was chosen, and marbles are drawn from it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from zerogym.envs.reasoning.answers import format_number
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of

COLOURS = ("red", "blue", "green")
BAGS = "ABCDEF"
MAX_DRAWS = 6
TRIES = 30
MARBLES = 10  # in each bag, so that the numbers of an exact answer stay small


def draw_update(rng: np.random.Generator, difficulty: float) -> Problem:
    """A problem, if possible not one in which the marbles leave no doubt."""
    for _ in range(TRIES):
        problem = _draw_problem(rng, difficulty)
        if problem.answer not in ("0", "1"):
            break
    return problem


def _draw_problem(rng: np.random.Generator, difficulty: float) -> Problem:
    """Bags, prior weights, what was drawn, and a question on the bag or on the next marble."""
    count = min(round_randomly(rng, 2 + min(difficulty, 9) / 2), len(BAGS))
    draws = min(round_randomly(rng, 1 + min(difficulty, 99)), MAX_DRAWS)
    colours = COLOURS[:2] if difficulty < 1 else COLOURS
    replace = difficulty < 2 or rng.random() < 0.5
    bags = [_draw_bag(rng, len(colours)) for _ in range(count)]
    weights = [draw_int(rng, 1, 5) if difficulty >= 1 else 1 for _ in range(count)]
    seen = _draw_marbles(rng, pick(rng, bags), draws, replace)
    is_next = rng.random() < 0.5 and difficulty >= 2
    asked = draw_int(rng, 0, len(colours) - 1 if is_next else count - 1)
    data: dict[str, Any] = {
        "bags": bags, "weights": weights, "seen": seen, "replace": replace,
        "question": "next" if is_next else "bag", "asked": asked,
    }  # fmt: skip
    return _write(data, colours)


def _draw_bag(rng: np.random.Generator, colours: int) -> list[int]:
    cuts = sorted(sample_of(rng, range(1, MARBLES), colours - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, MARBLES], strict=True)]


def _draw_marbles(rng: np.random.Generator, bag: list[int], draws: int, replace: bool) -> list[int]:
    """Draws from one of the bags, so that they are possible."""
    marbles = [colour for colour, count in enumerate(bag) for _ in range(count)]
    if not replace:
        return sample_of(rng, marbles, draws)
    return [pick(rng, marbles) for _ in range(draws)]


def likelihood(bag: list[int], seen: list[int], replace: bool) -> Fraction:
    """Chance of a series of draws from one bag, as one product."""
    left, chance = list(bag), Fraction(1)
    for colour in seen:
        chance *= Fraction(left[colour], sum(left))
        if not replace:
            left[colour] -= 1
    return chance


def update(data: Mapping[str, Any]) -> Fraction:
    """The belief after each draw becomes the prior of the next one; then the question."""
    belief = [Fraction(weight, sum(data["weights"])) for weight in data["weights"]]
    left = [list(bag) for bag in data["bags"]]
    for colour in data["seen"]:
        joint = [
            chance * Fraction(bag[colour], sum(bag))
            for chance, bag in zip(belief, left, strict=True)
        ]
        belief = [part / sum(joint) for part in joint]
        if not data["replace"]:
            for bag in left:
                bag[colour] -= 1
    if data["question"] == "bag":
        return belief[data["asked"]]
    return sum(
        (c * Fraction(bag[data["asked"]], sum(bag)) for c, bag in zip(belief, left, strict=True)),
        Fraction(0),
    )


def _write(data: dict[str, Any], colours: tuple[str, ...]) -> Problem:
    """The problem as text, answered by Bayes' rule in one step."""
    bags, weights, seen, asked = data["bags"], data["weights"], data["seen"], data["asked"]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    drawn = ", then ".join(colours[colour] for colour in seen)
    is_alone = len(seen) == 1 and data["question"] == "bag"
    how = "" if is_alone else f" with{'' if data['replace'] else 'out'} replacement"
    chances = [likelihood(bag, seen, data["replace"]) for bag in bags]
    joint = [p * chance for p, chance in zip(prior, chances, strict=True)]
    steps = [
        f"Bag {name}: prior {p}, chance of the draws {chance}, product {both}"
        for name, p, chance, both in zip(BAGS, prior, chances, joint, strict=False)
    ]
    steps.append(f"Sum of the products: {sum(joint)}")
    if data["question"] == "bag":
        answer = joint[asked] / sum(joint)
        question = f"What is the probability that it is bag {BAGS[asked]}?"
        steps.append(f"Bag {BAGS[asked]}: {joint[asked]} / ({sum(joint)}) = {answer}")
        wrong = [prior[asked], chances[asked], chances[asked] / sum(chances), joint[asked]]
    else:
        after = [likelihood(bag, [*seen, asked], data["replace"]) for bag in bags]
        total = sum(p * c for p, c in zip(prior, after, strict=True))
        answer = total / sum(joint)
        question = f"What is the probability that the next marble from it is {colours[asked]}?"
        steps.append(f"With another {colours[asked]} one: {total}; ratio {answer}")
        wrong = [Fraction(total), chances[0]]
    wrong += [1 - answer, answer / 2, (1 + answer) / 2]
    text = "\n".join(_describe(data, colours))
    return Problem(
        prompt=(
            f"One of these bags is chosen.\n{text}\nMarbles drawn from the chosen bag{how}: "
            f"{drawn}. {question}\nAnswer with an exact fraction or an exact decimal."
        ),
        answer=format_number(answer),
        solution="\n".join(steps),
        distractors=tuple(dict.fromkeys(format_number(w) for w in wrong if w != answer))[:5],
        category="posterior",
        data=data,
        canonical=f"{text} {drawn}{how} {question}",
    )


def _describe(data: dict[str, Any], colours: tuple[str, ...]) -> list[str]:
    """A line for each bag: what is in it, and how likely it is chosen."""
    lines = []
    for name, bag, weight in zip(BAGS, data["bags"], data["weights"], strict=False):
        held = ", ".join(f"{n} {colour}" for n, colour in zip(bag, colours, strict=True))
        chance = Fraction(weight, sum(data["weights"]))
        lines.append(f"Bag {name}: {held}; chosen with probability {chance}.")
    return lines
