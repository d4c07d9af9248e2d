"""Steps of drawn programs that end in, or begin with, an integer."""

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.language.draft import Draft, Tree


def total(draft: Draft, old: str) -> str:
    """`sum(x * x for x in xs if x > 3)`."""
    draft.said.append("adds up")
    item, new = draft.new("item"), draft.new("total")
    x: Tree = ["var", item]
    condition = draft.test(x) if draft.chance(0.6) else None
    value = ["sum", [item], ["each", ["var", old]], draft.term(x), condition]
    draft.release(item)
    return draft.let(new, value)


def weighted(draft: Draft, old: str) -> str:
    """`sum(i * x for i, x in enumerate(xs))`."""
    draft.said.append("adds up with weights")
    place, item, new = draft.new("place"), draft.new("item"), draft.new("total")
    weight = ["add", ["var", place], draft.number(1, 3)]
    draft.release(place, item)
    iterable, element = ["enumerate", ["var", old]], ["multiply", weight, ["var", item]]
    return draft.let(new, ["sum", [place, item], iterable, element, None])


def balance(draft: Draft, old: str) -> str:
    """A loop that adds some elements and subtracts or doubles for others."""
    draft.said.append("keeps a total by cases")
    new, item = draft.new("total"), draft.new("item")
    t, x = ["var", new], ["var", item]
    others = (
        ["subtract", t, x],
        ["add", t, draft.number(1, 3)],
        ["add", t, ["multiply", x, draft.number(2, 3)]],
        ["subtract", t, draft.small(1, 4)],
    )
    add, other = ["let", new, ["add", t, x]], ["let", new, pick(draft.rng, others)]
    return _loop(draft, new, item, old, [["if", [[draft.test(x), [add]]], [other]]], 0)


def rolling(draft: Draft, old: str) -> str:
    """`acc = (acc * 3 + x) % 101`: depends on every element and on their order."""
    draft.said.append("mixes all elements into one number")
    new, item = draft.new("total"), draft.new("item")
    mixed = ["add", ["multiply", ["var", new], draft.number(2, 5)], ["var", item]]
    modulus = pick(draft.rng, (97, 101, 127, 211, 256, 1000))
    body = [["let", new, ["remainder", mixed, modulus]]]
    return _loop(draft, new, item, old, body, draft.number(0, 7))


def pairs(draft: Draft, old: str) -> str:
    """Two loops, one in the other: over the pairs of an element and a later one."""
    draft.said.append("looks at pairs of elements")
    new, place = draft.new("total"), draft.new("place")
    first, second = draft.new("pair"), draft.new("pair")
    t, a, b = ["var", new], ["var", first], ["var", second]
    rest = ["from", ["var", old], ["add", ["var", place], 1]]
    gain = pick(draft.rng, (["absolute", ["subtract", a, b]], ["larger", a, b], ["add", a, b]))
    test = [pick(draft.rng, ("more", "less", "unequal")), a, b]
    add = ["let", new, ["add", t, gain]]
    inner = ["for", [second], ["each", rest], [["if", [[test, [add]]], []]]]
    draft.let(new, 0)
    draft.body.append(["for", [place, first], ["enumerate", ["var", old]], [inner]])
    draft.release(place, first, second)
    return new


def best_run(draft: Draft, old: str) -> str:
    """The largest sum of elements in a row, after each was lowered by a constant."""
    draft.said.append("looks for the best stretch")
    new, now, item = draft.new("total"), draft.new("total"), draft.new("item")
    t, c = ["var", new], ["var", now]
    gained = ["add", c, ["subtract", ["var", item], draft.small(6, 12)]]
    draft.let(now, 0)
    body = [["let", now, ["larger", 0, gained]], ["let", new, ["larger", t, c]]]
    return _loop(draft, new, item, old, body, 0)


def combined(draft: Draft, old: str) -> str:
    """`max(xs, default=0) * 3 - sum(xs)` and the like."""
    draft.said.append("combines two measures of the list")
    kinds = ["largest", "smallest", "add_up", "length"]
    first = kinds.pop(draft.number(0, 3))
    left, right = [first, ["var", old]], [pick(draft.rng, kinds), ["var", old]]
    value = [pick(draft.rng, ("add", "subtract")), ["multiply", left, draft.number(2, 4)], right]
    return draft.let(draft.new("total"), value)


def after(draft: Draft, old: str) -> str:
    """A number made of a number, perhaps by cases."""
    draft.said.append("changes the number")
    n: Tree = ["var", old]
    new = draft.again("total", old)
    if draft.chance(0.5):
        yes, no = (["let", new, draft.term(n)] for _ in range(2))
        draft.body.append(["if", [[draft.test(n, 10, 40), [yes]]], [no]])
        return new
    return draft.let(new, draft.term(n))


def digits(draft: Draft, old: str) -> str:
    """`[int(d) for d in str(abs(n))]`: from a number to a list."""
    draft.said.append("takes the digits")
    return draft.let(draft.new("new list"), ["digits", ["var", old]])


def steps(draft: Draft, old: str) -> str:
    """A loop that changes the number by cases some times and notes it: to a list."""
    draft.said.append("changes the number again and again")
    new, now, place = draft.new("new list"), draft.again("number", old), draft.new("place")
    n: Tree = ["var", now]
    half = ["quotient", n, draft.number(2, 3)]
    more = ["add", ["multiply", n, draft.number(2, 3)], 1]
    even = ["equal", ["remainder", n, 2], draft.number(0, 1)]
    change = ["if", [[even, [["let", now, half]]]], [["let", now, more]]]
    draft.let(new, ["empty"])
    draft.let(now, draft.term(["var", old]))
    body = [change, ["append", new, n]]
    draft.body.append(["for", [place], ["range", draft.number(4, 7)], body])
    draft.release(place)
    return new


def _loop(draft: Draft, new: str, item: str, old: str, body: list[Tree], start: int) -> str:
    draft.let(new, start)
    draft.body.append(["for", [item], ["each", ["var", old]], body])
    draft.release(item)
    return new
