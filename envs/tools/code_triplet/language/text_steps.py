"""Steps of drawn programs that make a text into another one, or into a list of integers."""

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.language.builder import CodeBuilder, Tree

LETTERS = "treats letters by cases"


def slice_of(code: CodeBuilder, old: str) -> str:
    """`s[::-1]`, `s[k:] + s[:k]`, `s[::2]` and the like."""
    s: Tree = ["var", old]
    cut = code.small(1, 3)
    forms = (
        ("reverses the text", ["reversed", s]),
        ("rotates the text", ["add", ["from", s, cut], ["until", s, cut]]),
        ("drops letters from the start", ["from", s, cut]),
        ("takes letters in steps of two", ["add", ["every", s, 2], ["every_from", s, 1, 2]]),
        ("takes letters in steps of two", ["add", ["every_from", s, 1, 2], ["every", s, 2]]),
        ("writes a part twice", ["add", s, ["until", s, code.small(2, 3)]]),
        ("uses the text backwards", ["add", s, ["from", ["reversed", s], code.small(1, 3)]]),
    )
    said, value = pick(code.rng, forms)
    code.said.append(said)
    return code.let(code.again("new text", old), value)


def keep_some(code: CodeBuilder, old: str) -> str:
    """`"".join(c for c in s if c not in "aeiou")`."""
    code.said.append("keeps some of the letters")
    item, c = code.variable("character")
    kind = "not_in" if code.chance(0.75) else "in"
    condition = [kind, c, ["text", code.letters()]]
    return code.comprehension("join", [item], ("each", old), c, condition)


def change_each(code: CodeBuilder, old: str) -> str:
    """Each letter shifted in the alphabet, or capital or doubled if it is one of some."""
    code.said.append("changes letters")
    item, c = code.variable("character")
    element = _changed(code, c)
    if code.chance(0.5):
        element = ["either", ["in", c, ["text", code.letters()]], element, c]
    return code.comprehension("join", [item], ("each", old), element)


def change_by_place(code: CodeBuilder, old: str) -> str:
    """`"".join(c.upper() if i % 3 == 0 else c for i, c in enumerate(s))`."""
    code.said.append("uses the places of the letters")
    place, item = code.new("place"), code.new("character")
    c: Tree = ["var", item]
    test = code.test(["var", place], 1, 4)
    if code.chance(0.4):
        element: Tree = ["shift", c, ["var", place]]
    else:
        element = ["either", test, _changed(code, c), c]
    return code.comprehension("join", [place, item], ("enumerate", old), element)


def replaced(code: CodeBuilder, old: str) -> str:
    """`s.replace("a", "o")`, twice."""
    code.said.append("replaces letters")
    value: Tree = ["var", old]
    for _ in range(2):
        letter = pick(code.rng, "aeiorst")
        other = pick(code.rng, ("u", "x", "oo", "", "na", letter * 2))
        value = ["replace", value, ["text", letter], ["text", other]]
    return code.let(code.again("new text", old), value)


def build(code: CodeBuilder, old: str) -> str:
    """A loop that puts letters at the end or at the beginning, by cases."""
    code.said.append(LETTERS)
    (new, out), (item, c) = code.variable("new text"), code.variable("character")
    test = ["in", c, ["text", code.letters()]]
    at_the_end = ["let", new, ["add", out, c]]
    ways = (
        ["let", new, ["add", c, out]],
        ["let", new, ["add", out, _changed(code, c)]],
        ["let", new, ["add", ["reversed", out], c]],
    )
    body = [["if", [[test, [pick(code.rng, ways)]]], [at_the_end]]]
    return code.loop(new, ["text", ""], item, old, body)


def places(code: CodeBuilder, old: str) -> str:
    """`[ord(c) - 97 for c in s]`: from a text to a list."""
    code.said.append("turns letters into numbers")
    item, new = code.new("character"), code.new("new list")
    c: Tree = ["var", item]
    condition = None if code.chance(0.7) else ["not_in", c, ["text", code.letters()]]
    return code.comprehension("list", [item], ("each", old), ["alphabet_place", c], condition, new)


def counts(code: CodeBuilder, old: str) -> str:
    """`[s.count(c) for c in s]`, or for letters that a text names: from a text to a list."""
    code.said.append("counts letters")
    item, new = code.new("character"), code.new("new list")
    element = ["count", ["var", old], ["var", item]]
    return code.comprehension("list", [item], ("each", old), element, new=new)


def _changed(code: CodeBuilder, c: Tree) -> Tree:
    forms: tuple[Tree, ...] = (
        ["shift", c, code.small(1, 9)],
        ["upper", c],
        ["add", c, c],
        ["add", c, ["text", pick(code.rng, ("x", "-", "o", "."))]],
    )
    return pick(code.rng, forms)
