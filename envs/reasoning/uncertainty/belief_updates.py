"""Bayes' rule for a few hypotheses: a bag was chosen, and marbles are drawn from it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from zerogym.envs.reasoning.answers import format_number
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.renaming import Term
from zerogym.envs.reasoning.uncertainty.networks import draw_weights

COLOURS = ("red", "blue", "green")
BAGS = "ABCDEF"
MAX_DRAWS = 6
TRIES = 30


def draw_update(rng: np.random.Generator, difficulty: float) -> Problem:
    """Draw a problem, if possible not one in which the marbles leave no doubt."""
    for _ in range(TRIES):
        problem = _draw_problem(rng, difficulty)
        if problem.answer not in ("0", "1"):
            break
    return problem


def _draw_problem(rng: np.random.Generator, difficulty: float) -> Problem:
    """Draw bags, prior weights, marbles, and a question on the bag or on the next marble."""
    count = min(round_randomly(rng, 2 + min(difficulty, 9) / 2), len(BAGS))
    draws = min(round_randomly(rng, 1 + min(difficulty, 99)), MAX_DRAWS)
    colours = COLOURS[:2] if difficulty < 1 else COLOURS
    replace = difficulty < 2 or rng.random() < 0.5
    bags = [draw_weights(rng, len(colours)) for _ in range(count)]  # marbles of each colour
    weights = [draw_int(rng, 1, 5) if difficulty >= 1 else 1 for _ in range(count)]
    marbles = [colour for colour, n in enumerate(pick(rng, bags)) for _ in range(n)]
    if replace:
        drawn = [pick(rng, marbles) for _ in range(draws)]
    else:
        drawn = sample_of(rng, marbles, draws)
    is_next = rng.random() < 0.5 and difficulty >= 2
    data: dict[str, Any] = {"bags": bags, "weights": weights, "seen": drawn, "replace": replace}
    data["question"] = "next" if is_next else "bag"
    data["asked"] = draw_int(rng, 0, len(colours) - 1 if is_next else count - 1)
    return _write(data, colours)


def likelihood(bag: list[int], drawn: list[int], replace: bool) -> Fraction:
    """Return the chance of a series of draws from one bag, as one product."""
    left, chance = list(bag), Fraction(1)
    for colour in drawn:
        chance *= Fraction(left[colour], sum(left))
        if not replace:
            left[colour] -= 1
    return chance


def update(data: Mapping[str, Any]) -> Fraction:
    """Answer a question; the belief after each draw becomes the prior of the next one."""
    belief = [Fraction(weight, sum(data["weights"])) for weight in data["weights"]]
    left = [list(bag) for bag in data["bags"]]

    def joint(colour: int) -> list[Fraction]:
        pairs = zip(belief, left, strict=True)
        return [chance * Fraction(bag[colour], sum(bag)) for chance, bag in pairs]

    for colour in data["seen"]:
        parts = joint(colour)
        belief = [part / sum(parts) for part in parts]
        if not data["replace"]:
            for bag in left:
                bag[colour] -= 1
    query = data["asked"]
    return belief[query] if data["question"] == "bag" else sum(joint(query), Fraction(0))


def update_statements(data: Mapping[str, Any]) -> tuple[list[Term], list[str]]:
    """Return bags, draws and question as statements, and the names of bags and colours in them."""
    bags, colours = BAGS[: len(data["bags"])], COLOURS[: len(data["bags"][0])]
    statements: list[Term] = [
        ("holds", name, colour, number)
        for name, held in zip(bags, data["bags"], strict=True)
        for colour, number in zip(colours, held, strict=True)
    ]
    shares = [Fraction(weight, sum(data["weights"])) for weight in data["weights"]]
    statements += [("chosen", name, str(share)) for name, share in zip(bags, shares, strict=True)]
    statements += [("drawn", colours[colour], str(data["replace"])) for colour in data["seen"]]
    sought = (bags if data["question"] == "bag" else colours)[data["asked"]]
    return [*statements, ("sought", sought)], [*bags, *colours]


def _write(data: dict[str, Any], colours: tuple[str, ...]) -> Problem:
    """Write a problem as text, answered by Bayes' rule in one step."""
    bags, weights, drawn, query = data["bags"], data["weights"], data["seen"], data["asked"]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    listed = ", then ".join(colours[colour] for colour in drawn)
    is_alone = len(drawn) == 1 and data["question"] == "bag"
    how = "" if is_alone else f" with{'' if data['replace'] else 'out'} replacement"
    chances = [likelihood(bag, drawn, data["replace"]) for bag in bags]
    joint = [p * chance for p, chance in zip(prior, chances, strict=True)]
    steps = [
        f"Bag {name}: prior {p}, chance of the draws {chance}, product {both}"
        for name, p, chance, both in zip(BAGS, prior, chances, joint, strict=False)
    ]
    steps.append(f"Sum of the products: {sum(joint)}")
    if data["question"] == "bag":
        answer = joint[query] / sum(joint)
        question = f"What is the probability that it is bag {BAGS[query]}?"
        steps.append(f"Bag {BAGS[query]}: {joint[query]} / ({sum(joint)}) = {answer}")
        wrong = [prior[query], chances[query], chances[query] / sum(chances), joint[query]]
    else:
        after = [likelihood(bag, [*drawn, query], data["replace"]) for bag in bags]
        total = sum(p * c for p, c in zip(prior, after, strict=True))
        answer = total / sum(joint)
        question = f"What is the probability that the next marble from it is {colours[query]}?"
        steps.append(f"With another {colours[query]} one: {total}; ratio {answer}")
        wrong = [Fraction(total), chances[0]]
    wrong += [1 - answer, answer / 2, (1 + answer) / 2]
    contents = [
        ", ".join(f"{n} {colour}" for n, colour in zip(bag, colours, strict=True)) for bag in bags
    ]
    text = "\n".join(
        f"Bag {name}: {held}; chosen with probability {p}."
        for name, held, p in zip(BAGS, contents, prior, strict=False)
    )
    return Problem(
        prompt=(
            f"One of these bags is chosen.\n{text}\nMarbles drawn from the chosen bag{how}: "
            f"{listed}. {question}\nAnswer with an exact fraction or an exact decimal."
        ),
        answer=format_number(answer),
        solution="\n".join(steps),
        distractors=tuple(dict.fromkeys(format_number(w) for w in wrong if w != answer))[:5],
        category="posterior",
        data=data,
        canonical=f"{text} {listed}{how} {question}",
    )
