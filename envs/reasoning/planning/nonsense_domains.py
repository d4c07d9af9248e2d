"""Drawing STRIPS domains with a start, in words that mean nothing."""

from itertools import product

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.planning.strips import Action, Pattern, Planning

# letters that make no word of PDDL, such as `not`, and hardly any of English
_FIRST, _VOWELS, _THIRD = "bdfgklmrtvz", "aeiou", "bdlmnrv"
_ENDINGS = ("", *_VOWELS, "ak", "en", "is", "ot", "ur")

Predicates = list[tuple[str, int]]  # names and numbers of parameters


def draw_domain(rng: np.random.Generator, difficulty: float) -> tuple[Planning, Predicates]:
    """Draw predicates, actions, objects and a start; no goal yet."""
    sizes = [round_randomly(rng, 3 + min(difficulty, 12) * share) for share in (0.25, 0.2, 0.25)]
    names = _words(rng, sum(sizes))
    objects, names = sorted(names[: sizes[0]]), names[sizes[0] :]
    predicates = [(name, draw_int(rng, 1, 2)) for name in sorted(names[: sizes[1]])]
    actions = {name: _action(rng, name, predicates) for name in sorted(names[sizes[1] :])}
    start = frozenset(
        (name, *chosen)
        for name, arity in predicates
        for chosen in product(objects, repeat=arity)
        if rng.random() < 1 / len(objects)
    )
    return Planning(actions, objects, start, frozenset()), predicates


def _words(rng: np.random.Generator, count: int) -> list[str]:
    """Draw different words of three to five letters, such as `gam` or `zipo`."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(pick(rng, part) for part in (_FIRST, _VOWELS, _THIRD, _ENDINGS))] = None
    return list(found)


def _action(rng: np.random.Generator, name: str, predicates: Predicates) -> Action:
    """Draw one or two parameters, two or three needs (some deleted), and one or two adds."""
    arity = draw_int(rng, 1, 2)
    patterns: list[Pattern] = [("", ())]
    mentioned: set[int] = set()
    while len(mentioned) < arity:
        patterns = [
            (predicate, tuple(draw_int(rng, 0, arity - 1) for _ in range(places)))
            for predicate, places in sample_of(rng, predicates * 2, draw_int(rng, 3, 4))
        ]
        patterns = list(dict.fromkeys(patterns))
        mentioned = {place for _, places in patterns for place in places}
    split = max(1, len(patterns) - draw_int(rng, 1, 2))
    needs, adds = patterns[:split], patterns[split:] or patterns[:1]
    deletes = sample_of(rng, needs, draw_int(rng, 1, len(needs)))
    return Action(name, arity, tuple(needs), tuple(adds), tuple(deletes))
