"""The experiments behind questions on probability: dice, coins, urns and cards."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from zerogym.envs.reasoning.answers import format_number
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.reasoning.probability.chances import (
    Weights,
    colour_weights,
    success_weights,
    total_weights,
)

MAX_DICE = 6
MAX_DRAWS = 8  # flips, balls or cards
COLOURS = ("red", "blue", "green", "white", "black", "yellow")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace")
FORM = "Answer with an exact fraction or an exact decimal."


def _dice(rng: np.random.Generator, count: int, conditional: bool) -> Problem:
    dice = sorted(draw_int(rng, 4, 12) for _ in range(min(1 + count, MAX_DICE)))
    weights = total_weights(dice)
    event, given = _draw_events(rng, weights, conditional)
    lowest, highest = len(dice), sum(dice)
    if len(dice) == 1:
        scene, subject = f"A fair die with {dice[0]} sides, numbered from 1, is rolled", "result"
    else:
        sides = _join(list(map(str, dice)))
        scene = f"Fair dice with {sides} sides, each numbered from 1, are rolled"
        subject = "total"

    def say(span: list[int]) -> str:
        return f"the {subject} is {_say_range(span, lowest, highest)}"

    data = {"dice": dice, "event": event, "given": given}
    return _pose("dice", scene, say, weights, data)


def _coins(rng: np.random.Generator, count: int, conditional: bool) -> Problem:
    whole = draw_int(rng, 2, 5) if count == 0 else draw_int(rng, 3, 13)
    heads = draw_int(rng, 1, whole - 1)
    flips = min(2 + count, MAX_DRAWS)
    chance = Fraction(heads, whole)
    scene = f"A coin that lands heads with probability {chance} is flipped {flips} times"
    urn = (chance.numerator, chance.denominator - chance.numerator)
    return _successes(rng, "coins", scene, urn, flips, True, conditional, ("flip", "heads"))


def _urn(rng: np.random.Generator, count: int, conditional: bool) -> Problem:
    colours = sample_of(rng, COLOURS, draw_int(rng, 2, 4))
    balls = [draw_int(rng, 1, 9) for _ in colours]
    draws = min(1 + count, MAX_DRAWS, max(1, sum(balls) - 1))
    replace = draws > 1 and rng.random() < 0.5
    held = _join([f"{n} {colour}" for n, colour in zip(balls, colours, strict=True)])
    how = "" if draws == 1 else " with replacement" if replace else " without replacement"
    drawn = "1 ball is" if draws == 1 else f"{draws} balls are"
    scene = f"An urn holds balls of these colours: {held}; {drawn} drawn at random{how}"
    if draws > 1 and not conditional and rng.random() < 0.3:
        event = "different" if draws <= len(balls) and rng.random() < 0.5 else "same"
        weights = colour_weights(balls, draws, replace, event)
        if 0 < sum(weights.ways) < weights.total:
            data: dict[str, Any] = {"colours": balls, "draws": draws, "replace": replace}
            phrase = "the same colour" if event == "same" else "different colours"
            return _pose(
                "urn", scene, lambda _: f"all balls drawn have {phrase}", weights,
                data | {"event": event, "given": None},
            )  # fmt: skip
    pair = (balls[0], sum(balls) - balls[0])
    names = ("ball", colours[0])
    return _successes(rng, "urn", scene, pair, draws, replace, conditional, names)


def _cards(rng: np.random.Generator, count: int, conditional: bool) -> Problem:
    lowest = draw_int(rng, 0, 8)  # the ranks from here to the ace
    ranks = len(RANKS) - lowest
    kinds = (
        ("a heart", ranks), ("a red card", 2 * ranks), ("an ace", 4), ("a king or a queen", 8),
        ("a jack, a queen or a king", 12), ("a red ace", 2), ("a spade or an ace", ranks + 3),
        ("a club other than the ace", ranks - 1), ("a black card or a king", 2 * ranks + 2),
    )  # fmt: skip
    name, good = pick(rng, kinds)
    draws = min(1 + count, MAX_DRAWS)
    dealt = "1 card is" if draws == 1 else f"{draws} cards are"
    scene = (
        f"A shuffled deck has the ranks {RANKS[lowest]} to ace in hearts and diamonds (red), "
        f"spades and clubs (black): {4 * ranks} cards; {dealt} dealt from it"
    )
    pair = (good, 4 * ranks - good)
    return _successes(rng, "cards", scene, pair, draws, False, conditional, ("card", name))


def _successes(
    rng: np.random.Generator,
    category: str,
    scene: str,
    pair: tuple[int, int],
    draws: int,
    replace: bool,
    conditional: bool,
    names: tuple[str, str],
) -> Problem:
    """A question on the number of good outcomes, perhaps when the first ones are known."""
    good, other = pair
    first = 0
    if conditional and draws > 1 and (replace or good > 1) and rng.random() < 0.5:
        first, conditional = 1, False
    weights = success_weights(good, other, draws, replace, first)
    event, given = _draw_events(rng, weights, conditional)
    noun, name = names

    def say(span: list[int]) -> str:
        if draws == 1:
            return f"the {noun} is {name if span[0] == 1 else _none_of(name)}"
        return f"the number of {noun}s that are {name} is {_say_range(span, 0, draws)}"

    data = {
        "good": good, "other": other, "draws": draws, "replace": replace, "first": first,
        "event": event, "given": given,
    }  # fmt: skip
    return _pose(category, scene, say, weights, data, f"the first {noun} is {name}")


def _none_of(name: str) -> str:
    """`not a heart`; `neither a spade nor an ace`, since `not a spade or an ace` may mean less."""
    *others, last = name.split(" or ")
    return f"neither {others[0]} nor {last}" if others else f"not {name}"


def _draw_events(
    rng: np.random.Generator, weights: Weights, conditional: bool
) -> tuple[list[int], list[int] | None]:
    """An event, and perhaps a condition, such that the answer is neither 0 nor 1."""
    low, high = weights.least, weights.least + len(weights.ways) - 1
    for _ in range(20 if conditional else 0):
        given, event = _span(rng, low, high), _span(rng, low, high)
        both = weights.of(event, given)
        if given != [low, high] and 0 < both < weights.of(given):
            return event, given
    while True:
        event = _span(rng, low, high)
        if 0 < weights.of(event) < weights.total:
            return event, None


def _span(rng: np.random.Generator, low: int, high: int) -> list[int]:
    """Exactly, at least or at most a value, as the first and the last value of a range."""
    value, kind = draw_int(rng, low, high), rng.random()
    return [value, value] if kind < 0.34 else [value, high] if kind < 0.67 else [low, value]


def _say_range(span: list[int], least: int, most: int) -> str:
    low, high = span
    if low == high:
        return f"exactly {low}"
    return f"at least {low}" if high == most else f"at most {high}"


def _pose(
    category: str,
    scene: str,
    say: Callable[[list[int]], str],
    weights: Weights,
    data: dict[str, Any],
    known: str = "",
) -> Problem:
    """The problem of an experiment, its event and its condition."""
    event, given = data["event"], data["given"]
    whole = weights.of(given) if given else weights.total
    part = weights.of(event, given)
    condition = known if data.get("first") else say(given) if given else ""
    under = f", given that {condition}" if condition else ""
    prompt = f"{scene}.\nWhat is the probability that {say(event)}{under}?\n{FORM}"
    chance = Fraction(part, whole)
    after = f"When {known}, there" if data.get("first") else "There"
    lines = [f"{after} are {weights.total} outcomes of equal weight ({weights.meaning})."]
    if given:
        lines.append(f"The condition holds for {_sum(weights.explain(given), whole)} of them.")
    lines.append(f"The event happens in {_sum(weights.explain(event, given), part)} of these.")
    reduced = "" if chance.denominator == whole else f"{part}/{whole} = "
    lines.append(f"The probability is {reduced}{format_number(chance)}.")
    wrong = (1 - chance, Fraction(part, weights.total), Fraction(part + 1, whole + 1), chance / 2)
    shown = dict.fromkeys(format_number(w) for w in wrong if w != chance)
    return Problem(
        prompt=prompt,
        answer=format_number(chance),
        solution="\n".join(lines),
        distractors=tuple(shown),
        category=category,
        data=data,
        canonical=prompt,
    )


def _sum(terms: str, total: int) -> str:
    return terms if terms == str(total) else f"{terms} = {total}"


def _join(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]])


EXPERIMENTS: dict[str, Callable[[np.random.Generator, int, bool], Problem]] = {
    "dice": _dice, "coins": _coins, "urn": _urn, "cards": _cards,
}  # fmt: skip
