"""Steps of drawn programs that make a list of integers into another one."""

from collections.abc import Callable

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.language.draft import Draft, Tree

ELEMENTS = "changes each element"
SELECTION = "keeps some of the elements"
CASES = "treats elements by cases"


def change_each(draft: Draft, old: str) -> str:
    """`[x * 2 + 1 for x in xs]`."""
    draft.said.append(ELEMENTS)
    return _comprehension(draft, old, lambda x: (draft.term(x), None))


def keep_some(draft: Draft, old: str) -> str:
    """`[x for x in xs if x > 4]`."""
    draft.said.append(SELECTION)
    return _comprehension(draft, old, lambda x: (x, draft.test(x)))


def keep_and_change(draft: Draft, old: str) -> str:
    """`[x + 3 for x in xs if x % 2 == 0]`."""
    draft.said.append(f"{SELECTION} and changes them")
    return _comprehension(draft, old, lambda x: (draft.term(x), draft.test(x)))


def change_by_case(draft: Draft, old: str) -> str:
    """`[x + 3 if x > 4 else x * 2 for x in xs]`."""
    draft.said.append(CASES)
    return _comprehension(draft, old, lambda x: (_by_case(draft, x), None))


def change_by_place(draft: Draft, old: str) -> str:
    """`[x * i for i, x in enumerate(xs)]`."""
    draft.said.append("uses the places of the elements")
    place, item = draft.new("place"), draft.new("item")
    i, x = ["var", place], ["var", item]
    if draft.chance(0.4):
        element, condition = draft.term(x), draft.test(i, 1, 4)
    else:
        weighted = ["multiply", x, i if draft.chance(0.5) else ["add", i, draft.number(1, 3)]]
        element = pick(draft.rng, (["add", x, i], ["subtract", x, i], weighted))
        condition = None
    iterable = ["enumerate", ["var", old]]
    draft.release(place, item)
    new = draft.again("new list", old)
    return draft.let(new, ["list", [place, item], iterable, element, condition])


def slice_of(draft: Draft, old: str) -> str:
    """`xs[2:]`, `xs[::-1]`, `xs[1::2]`, `xs[k:] + xs[:k]` and the like."""
    xs: Tree = ["var", old]
    cut = draft.small(1, 3)
    forms = (
        ("drops elements from the start", ["from", xs, cut]),
        ("drops the last elements", ["until", xs, -draft.number(1, 2)]),
        ("keeps the first elements", ["until", xs, draft.small(2, 4)]),
        ("reverses the order", ["reversed", xs]),
        ("takes every second element", ["every", xs, 2]),
        ("takes every second element", ["every_from", xs, 1, 2]),
        ("rotates the list", ["add", ["from", xs, cut], ["until", xs, cut]]),
        ("drops elements at both ends", ["between", xs, 1, -1]),
    )
    said, value = pick(draft.rng, forms)
    draft.said.append(said)
    return draft.let(draft.again("new list", old), value)


def order_of(draft: Draft, old: str) -> str:
    """`sorted(xs)`, also downwards."""
    draft.said.append("sorts")
    kind = pick(draft.rng, ("sorted", "descending"))
    return draft.let(draft.again("new list", old), [kind, ["var", old]])


def extend(draft: Draft, old: str) -> str:
    """`xs + [sum(xs)]` and the like, at either end."""
    draft.said.append("adds an element")
    xs: Tree = ["var", old]
    kind = pick(draft.rng, ("add_up", "largest", "smallest", "length"))
    more = ["single", [kind, xs]]
    value = ["add", xs, more] if draft.chance(0.6) else ["add", more, xs]
    return draft.let(draft.again("new list", old), value)


def neighbours(draft: Draft, old: str) -> str:
    """`[b - a for a, b in zip(xs, xs[1:])]`."""
    draft.said.append("combines neighbours")
    first, second = draft.new("pair"), draft.new("pair")
    a, b = ["var", first], ["var", second]
    elements = (
        ["subtract", b, a],
        ["add", a, b],
        ["absolute", ["subtract", a, b]],
        ["larger", a, b],
        ["smaller", a, b],
        ["add", ["multiply", a, draft.number(2, 3)], b],
    )
    condition = None
    element = pick(draft.rng, elements)
    if draft.chance(0.3):
        element, condition = b, [pick(draft.rng, ("less", "more")), a, b]
    draft.release(first, second)
    iterable = ["neighbours", ["var", old]]
    new = draft.again("new list", old)
    return draft.let(new, ["list", [first, second], iterable, element, condition])


def without_repeats(draft: Draft, old: str) -> str:
    """A loop that appends what is not there yet, perhaps changed."""
    draft.said.append("leaves out repetitions")
    new, item = draft.new("new list"), draft.new("item")
    x: Tree = ["var", item]
    if draft.chance(0.5):
        x = ["remainder", x, draft.number(5, 9)]
    body = [["if", [[["not_in", x, ["var", new]], [["append", new, x]]]], []]]
    _loop(draft, new, item, old, body)
    return new


def cases_in_a_loop(draft: Draft, old: str) -> str:
    """A loop with `if` and `else` that appends one thing or another."""
    draft.said.append(CASES)
    new, item = draft.new("new list"), draft.new("item")
    x: Tree = ["var", item]
    cases = [[draft.test(x), [["append", new, draft.term(x)]]]]
    if draft.level >= 2 and draft.chance(0.5):
        parity = ["equal", ["remainder", x, draft.number(2, 3)], draft.number(0, 1)]
        cases.append([parity, [["append", new, draft.term(x)]]])
    otherwise = [] if draft.chance(0.25) else [["append", new, draft.term(x)]]
    _loop(draft, new, item, old, [["if", cases, otherwise]])
    return new


def running(draft: Draft, old: str) -> str:
    """A loop that keeps a total and appends it each time: sums, largest so far, with reset."""
    draft.said.append("keeps a running value")
    total, new, item = draft.new("total"), draft.new("new list"), draft.new("item")
    t, x = ["var", total], ["var", item]
    steps = (
        ["add", t, x],
        ["add", t, ["remainder", x, draft.number(3, 5)]],
        ["larger", t, x],
        ["subtract", x, t],
        ["remainder", ["add", t, x], draft.number(7, 13)],
    )
    change: list[Tree] = [["let", total, pick(draft.rng, steps)]]
    if draft.level >= 1 and draft.chance(0.4):
        change = [["if", [[draft.test(x), change]], [["let", total, draft.number(0, 3)]]]]
    draft.let(total, draft.number(0, 3) if draft.chance(0.3) else 0)
    _loop(draft, new, item, old, [*change, ["append", new, t]])
    draft.release(total)
    return new


def choose(draft: Draft, old: str) -> str:
    """`if sum(xs) % 2 == 0: ... else: ...` on the list as a whole."""
    draft.said.append("does one thing or another, by the list as a whole")
    xs: Tree = ["var", old]
    new = draft.again("new list", old)
    whole = pick(draft.rng, ("add_up", "largest", "smallest"))
    test: Tree = ["equal", ["remainder", [whole, xs], 2], draft.number(0, 1)]
    if whole == "add_up" and draft.chance(0.5):
        test = [pick(draft.rng, ("more", "less")), ["add_up", xs], draft.number(25, 60)]
    ways = (
        ["reversed", xs],
        ["sorted", xs],
        ["from", xs, draft.small(1, 2)],
        ["until", xs, -1],
        ["add", xs, ["single", [whole, xs]]],
        ["add", ["from", xs, 1], ["until", xs, 1]],
        ["every", xs, 2],
        ["every_from", xs, 1, 2],
    )
    first = draft.number(0, len(ways) - 1)
    second = (first + draft.number(1, len(ways) - 1)) % len(ways)
    draft.body.append(["if", [[test, [["let", new, ways[first]]]]], [["let", new, ways[second]]]])
    return new


def _by_case(draft: Draft, x: Tree) -> Tree:
    yes, no = draft.term(x), x if draft.chance(0.4) else draft.term(x)
    return ["either", draft.test(x), yes, no]


def _comprehension(draft: Draft, old: str, make: Callable[[Tree], tuple[Tree, Tree]]) -> str:
    item = draft.new("item")
    element, condition = make(["var", item])
    draft.release(item)
    new = draft.again("new list", old)
    return draft.let(new, ["list", [item], ["each", ["var", old]], element, condition])


def _loop(draft: Draft, new: str, item: str, old: str, body: list[Tree]) -> None:
    draft.let(new, ["empty"])
    draft.body.append(["for", [item], ["each", ["var", old]], body])
    draft.release(item)
