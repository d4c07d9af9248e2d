"""Steps of drawn programs that make a list of integers into another one."""

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.language.builder import CodeBuilder, Tree

ELEMENTS = "changes each element"
SELECTION = "keeps some of the elements"
CASES = "treats elements by cases"


def change_each(code: CodeBuilder, old: str) -> str:
    """`[x * 2 + 1 for x in xs]`."""
    code.said.append(ELEMENTS)
    item = code.new("item")
    return code.comprehension("list", [item], ("each", old), code.term(["var", item]))


def keep_some(code: CodeBuilder, old: str) -> str:
    """`[x for x in xs if x > 4]`."""
    code.said.append(SELECTION)
    item, x = code.variable("item")
    return code.comprehension("list", [item], ("each", old), x, code.test(x))


def keep_and_change(code: CodeBuilder, old: str) -> str:
    """`[x + 3 for x in xs if x % 2 == 0]`."""
    code.said.append(f"{SELECTION} and changes them")
    item, x = code.variable("item")
    return code.comprehension("list", [item], ("each", old), code.term(x), code.test(x))


def change_by_case(code: CodeBuilder, old: str) -> str:
    """`[x + 3 if x > 4 else x * 2 for x in xs]`."""
    code.said.append(CASES)
    item, x = code.variable("item")
    yes, no = code.term(x), x if code.chance(0.4) else code.term(x)
    element = ["either", code.test(x), yes, no]
    return code.comprehension("list", [item], ("each", old), element)


def change_by_place(code: CodeBuilder, old: str) -> str:
    """`[x * i for i, x in enumerate(xs)]`."""
    code.said.append("uses the places of the elements")
    (place, i), (item, x) = code.variable("place"), code.variable("item")
    if code.chance(0.4):
        element, condition = code.term(x), code.test(i, 1, 4)
    else:
        weighted = ["multiply", x, i if code.chance(0.5) else ["add", i, code.number(1, 3)]]
        element = pick(code.rng, (["add", x, i], ["subtract", x, i], weighted))
        condition = None
    return code.comprehension("list", [place, item], ("enumerate", old), element, condition)


def slice_of(code: CodeBuilder, old: str) -> str:
    """`xs[2:]`, `xs[::-1]`, `xs[1::2]`, `xs[k:] + xs[:k]` and the like."""
    xs: Tree = ["var", old]
    cut = code.small(1, 3)
    forms = (
        ("drops elements from the start", ["from", xs, cut]),
        ("drops the last elements", ["until", xs, -code.number(1, 2)]),
        ("keeps the first elements", ["until", xs, code.small(2, 4)]),
        ("reverses the order", ["reversed", xs]),
        ("takes every second element", ["every", xs, 2]),
        ("takes every second element", ["every_from", xs, 1, 2]),
        ("rotates the list", ["add", ["from", xs, cut], ["until", xs, cut]]),
        ("drops elements at both ends", ["between", xs, 1, -1]),
    )
    said, value = pick(code.rng, forms)
    code.said.append(said)
    return code.let(code.again("new list", old), value)


def order_of(code: CodeBuilder, old: str) -> str:
    """`sorted(xs)`, also downwards."""
    code.said.append("sorts")
    kind = pick(code.rng, ("sorted", "descending"))
    return code.let(code.again("new list", old), [kind, ["var", old]])


def extend(code: CodeBuilder, old: str) -> str:
    """`xs + [sum(xs)]` and the like, at either end."""
    code.said.append("adds an element")
    xs: Tree = ["var", old]
    kind = pick(code.rng, ("add_up", "largest", "smallest", "length"))
    more = ["single", [kind, xs]]
    value = ["add", xs, more] if code.chance(0.6) else ["add", more, xs]
    return code.let(code.again("new list", old), value)


def neighbours(code: CodeBuilder, old: str) -> str:
    """`[b - a for a, b in zip(xs, xs[1:])]`."""
    code.said.append("combines neighbours")
    (first, a), (second, b) = code.variable("pair"), code.variable("pair")
    elements = (
        ["subtract", b, a],
        ["add", a, b],
        ["absolute", ["subtract", a, b]],
        ["larger", a, b],
        ["smaller", a, b],
        ["add", ["multiply", a, code.number(2, 3)], b],
    )
    condition = None
    element = pick(code.rng, elements)
    if code.chance(0.3):
        element, condition = b, [pick(code.rng, ("less", "more")), a, b]
    return code.comprehension("list", [first, second], ("neighbours", old), element, condition)


def without_repeats(code: CodeBuilder, old: str) -> str:
    """A loop that appends what is not there yet, perhaps changed."""
    code.said.append("leaves out repetitions")
    new, item = code.new("new list"), code.new("item")
    x: Tree = ["var", item]
    if code.chance(0.5):
        x = ["remainder", x, code.number(5, 9)]
    body = [["if", [[["not_in", x, ["var", new]], [["append", new, x]]]], []]]
    return code.loop(new, ["empty"], item, old, body)


def cases_in_a_loop(code: CodeBuilder, old: str) -> str:
    """A loop with `if` and `else` that appends one thing or another."""
    code.said.append(CASES)
    new, item = code.new("new list"), code.new("item")
    x: Tree = ["var", item]
    cases = [[code.test(x), [["append", new, code.term(x)]]]]
    if code.level >= 2 and code.chance(0.5):
        parity = ["equal", ["remainder", x, code.number(2, 3)], code.number(0, 1)]
        cases.append([parity, [["append", new, code.term(x)]]])
    otherwise = [] if code.chance(0.25) else [["append", new, code.term(x)]]
    return code.loop(new, ["empty"], item, old, [["if", cases, otherwise]])


def running(code: CodeBuilder, old: str) -> str:
    """A loop that keeps a total and appends it each time: sums, largest so far, with reset."""
    code.said.append("keeps a running value")
    total, new, item = code.new("total"), code.new("new list"), code.new("item")
    t, x = ["var", total], ["var", item]
    steps = (
        ["add", t, x],
        ["add", t, ["remainder", x, code.number(3, 5)]],
        ["larger", t, x],
        ["subtract", x, t],
        ["remainder", ["add", t, x], code.number(7, 13)],
    )
    change: list[Tree] = [["let", total, pick(code.rng, steps)]]
    if code.level >= 1 and code.chance(0.4):
        change = [["if", [[code.test(x), change]], [["let", total, code.number(0, 3)]]]]
    code.let(total, code.number(0, 3) if code.chance(0.3) else 0)
    code.release(total)
    return code.loop(new, ["empty"], item, old, [*change, ["append", new, t]])


def choose(code: CodeBuilder, old: str) -> str:
    """`if sum(xs) % 2 == 0: ... else: ...` on the list as a whole."""
    code.said.append("does one thing or another, by the list as a whole")
    xs: Tree = ["var", old]
    new = code.again("new list", old)
    whole = pick(code.rng, ("add_up", "largest", "smallest"))
    test: Tree = ["equal", ["remainder", [whole, xs], 2], code.number(0, 1)]
    if whole == "add_up" and code.chance(0.5):
        test = [pick(code.rng, ("more", "less")), ["add_up", xs], code.number(25, 60)]
    ways = (
        ["reversed", xs],
        ["sorted", xs],
        ["from", xs, code.small(1, 2)],
        ["until", xs, -1],
        ["add", xs, ["single", [whole, xs]]],
        ["add", ["from", xs, 1], ["until", xs, 1]],
        ["every", xs, 2],
        ["every_from", xs, 1, 2],
    )
    first = code.number(0, len(ways) - 1)
    second = (first + code.number(1, len(ways) - 1)) % len(ways)
    code.body.append(["if", [[test, [["let", new, ways[first]]]]], [["let", new, ways[second]]]])
    return new
