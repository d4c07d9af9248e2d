"""Steps of drawn programs that end in, or begin with, an integer."""

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.language.builder import CodeBuilder, Tree


def total(code: CodeBuilder, old: str) -> str:
    """`sum(x * x for x in xs if x > 3)`."""
    code.said.append("adds up")
    item, new = code.new("item"), code.new("total")
    x: Tree = ["var", item]
    condition = code.test(x) if code.chance(0.6) else None
    return code.comprehension("sum", [item], ("each", old), code.term(x), condition, new)


def weighted(code: CodeBuilder, old: str) -> str:
    """`sum(i * x for i, x in enumerate(xs))`."""
    code.said.append("adds up with weights")
    place, item, new = code.new("place"), code.new("item"), code.new("total")
    weight = ["add", ["var", place], code.number(1, 3)]
    element = ["multiply", weight, ["var", item]]
    return code.comprehension("sum", [place, item], ("enumerate", old), element, new=new)


def balance(code: CodeBuilder, old: str) -> str:
    """A loop that adds some elements and subtracts or doubles for others."""
    code.said.append("keeps a total by cases")
    (new, t), (item, x) = code.variable("total"), code.variable("item")
    others = (
        ["subtract", t, x],
        ["add", t, code.number(1, 3)],
        ["add", t, ["multiply", x, code.number(2, 3)]],
        ["subtract", t, code.small(1, 4)],
    )
    add, other = ["let", new, ["add", t, x]], ["let", new, pick(code.rng, others)]
    return code.loop(new, 0, item, old, [["if", [[code.test(x), [add]]], [other]]])


def rolling(code: CodeBuilder, old: str) -> str:
    """`acc = (acc * 3 + x) % 101`: depends on every element and on their order."""
    code.said.append("mixes all elements into one number")
    new, item = code.new("total"), code.new("item")
    mixed = ["add", ["multiply", ["var", new], code.number(2, 5)], ["var", item]]
    modulus = pick(code.rng, (97, 101, 127, 211, 256, 1000))
    body = [["let", new, ["remainder", mixed, modulus]]]
    return code.loop(new, code.number(0, 7), item, old, body)


def pairs(code: CodeBuilder, old: str) -> str:
    """Two loops, one in the other: over the pairs of an element and a later one."""
    code.said.append("looks at pairs of elements")
    new, place = code.new("total"), code.new("place")
    first, second = code.new("pair"), code.new("pair")
    t, a, b = ["var", new], ["var", first], ["var", second]
    rest = ["from", ["var", old], ["add", ["var", place], 1]]
    gain = pick(code.rng, (["absolute", ["subtract", a, b]], ["larger", a, b], ["add", a, b]))
    test = [pick(code.rng, ("more", "less", "unequal")), a, b]
    add = ["let", new, ["add", t, gain]]
    inner = ["for", [second], ["each", rest], [["if", [[test, [add]]], []]]]
    code.let(new, 0)
    code.body.append(["for", [place, first], ["enumerate", ["var", old]], [inner]])
    code.release(place, first, second)
    return new


def best_run(code: CodeBuilder, old: str) -> str:
    """The largest sum of elements in a row, after each was lowered by a constant."""
    code.said.append("looks for the best stretch")
    new, now, item = code.new("total"), code.new("total"), code.new("item")
    t, c = ["var", new], ["var", now]
    gained = ["add", c, ["subtract", ["var", item], code.small(6, 12)]]
    code.let(now, 0)
    body = [["let", now, ["larger", 0, gained]], ["let", new, ["larger", t, c]]]
    return code.loop(new, 0, item, old, body)


def combined(code: CodeBuilder, old: str) -> str:
    """`max(xs, default=0) * 3 - sum(xs)` and the like."""
    code.said.append("combines two measures of the list")
    kinds = ["largest", "smallest", "add_up", "length"]
    first = kinds.pop(code.number(0, 3))
    left, right = [first, ["var", old]], [pick(code.rng, kinds), ["var", old]]
    value = [pick(code.rng, ("add", "subtract")), ["multiply", left, code.number(2, 4)], right]
    return code.let(code.new("total"), value)


def after(code: CodeBuilder, old: str) -> str:
    """A number made of a number, perhaps by cases."""
    code.said.append("changes the number")
    n: Tree = ["var", old]
    new = code.again("total", old)
    if code.chance(0.5):
        yes, no = (["let", new, code.term(n)] for _ in range(2))
        code.body.append(["if", [[code.test(n, 10, 40), [yes]]], [no]])
        return new
    return code.let(new, code.term(n))


def digits(code: CodeBuilder, old: str) -> str:
    """`[int(d) for d in str(abs(n))]`: from a number to a list."""
    code.said.append("takes the digits")
    return code.let(code.new("new list"), ["digits", ["var", old]])


def steps(code: CodeBuilder, old: str) -> str:
    """A loop that changes the number by cases some times and notes it: to a list."""
    code.said.append("changes the number again and again")
    new, now, place = code.new("new list"), code.again("number", old), code.new("place")
    n: Tree = ["var", now]
    half = ["quotient", n, code.number(2, 3)]
    more = ["add", ["multiply", n, code.number(2, 3)], 1]
    even = ["equal", ["remainder", n, 2], code.number(0, 1)]
    change = ["if", [[even, [["let", now, half]]]], [["let", now, more]]]
    code.let(new, ["empty"])
    code.let(now, code.term(["var", old]))
    body = [change, ["append", new, n]]
    code.body.append(["for", [place], ["range", code.number(4, 7)], body])
    code.release(place)
    return new
