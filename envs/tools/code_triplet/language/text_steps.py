"""Steps of drawn programs that make a text into another one, or into a list of integers."""

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.language.draft import Draft, Tree

LETTERS = "treats letters by cases"


def slice_of(draft: Draft, old: str) -> str:
    """`s[::-1]`, `s[k:] + s[:k]`, `s[::2]` and the like."""
    s: Tree = ["var", old]
    cut = draft.small(1, 3)
    forms = (
        ("reverses the text", ["reversed", s]),
        ("rotates the text", ["add", ["from", s, cut], ["until", s, cut]]),
        ("drops letters from the start", ["from", s, cut]),
        ("takes letters in steps of two", ["add", ["every", s, 2], ["every_from", s, 1, 2]]),
        ("takes letters in steps of two", ["add", ["every_from", s, 1, 2], ["every", s, 2]]),
        ("writes a part twice", ["add", s, ["until", s, draft.small(2, 3)]]),
        ("uses the text backwards", ["add", s, ["from", ["reversed", s], draft.small(1, 3)]]),
    )
    said, value = pick(draft.rng, forms)
    draft.said.append(said)
    return draft.let(draft.again("new text", old), value)


def keep_some(draft: Draft, old: str) -> str:
    """`"".join(c for c in s if c not in "aeiou")`."""
    draft.said.append("keeps some of the letters")
    item = draft.new("character")
    c: Tree = ["var", item]
    kind = "not_in" if draft.chance(0.75) else "in"
    value = ["join", [item], ["each", ["var", old]], c, [kind, c, ["text", draft.letters()]]]
    draft.release(item)
    return draft.let(draft.again("new text", old), value)


def change_each(draft: Draft, old: str) -> str:
    """Each letter shifted in the alphabet, or capital or doubled if it is one of some."""
    draft.said.append("changes letters")
    item = draft.new("character")
    c: Tree = ["var", item]
    element = _changed(draft, c)
    if draft.chance(0.5):
        element = ["either", ["in", c, ["text", draft.letters()]], element, c]
    value = ["join", [item], ["each", ["var", old]], element, None]
    draft.release(item)
    return draft.let(draft.again("new text", old), value)


def change_by_place(draft: Draft, old: str) -> str:
    """`"".join(c.upper() if i % 3 == 0 else c for i, c in enumerate(s))`."""
    draft.said.append("uses the places of the letters")
    place, item = draft.new("place"), draft.new("character")
    c: Tree = ["var", item]
    test = draft.test(["var", place], 1, 4)
    if draft.chance(0.4):
        element: Tree = ["shift", c, ["var", place]]
    else:
        element = ["either", test, _changed(draft, c), c]
    value = ["join", [place, item], ["enumerate", ["var", old]], element, None]
    draft.release(place, item)
    return draft.let(draft.again("new text", old), value)


def replaced(draft: Draft, old: str) -> str:
    """`s.replace("a", "o")`, twice."""
    draft.said.append("replaces letters")
    value: Tree = ["var", old]
    for _ in range(2):
        letter = pick(draft.rng, "aeiorst")
        other = pick(draft.rng, ("u", "x", "oo", "", "na", letter * 2))
        value = ["replace", value, ["text", letter], ["text", other]]
    return draft.let(draft.again("new text", old), value)


def build(draft: Draft, old: str) -> str:
    """A loop that puts letters at the end or at the beginning, by cases."""
    draft.said.append(LETTERS)
    new, item = draft.new("new text"), draft.new("character")
    out, c = ["var", new], ["var", item]
    test = ["in", c, ["text", draft.letters()]]
    at_the_end = ["let", new, ["add", out, c]]
    ways = (
        ["let", new, ["add", c, out]],
        ["let", new, ["add", out, _changed(draft, c)]],
        ["let", new, ["add", ["reversed", out], c]],
    )
    draft.let(new, ["text", ""])
    body = [["if", [[test, [pick(draft.rng, ways)]]], [at_the_end]]]
    draft.body.append(["for", [item], ["each", ["var", old]], body])
    draft.release(item)
    return new


def places(draft: Draft, old: str) -> str:
    """`[ord(c) - 97 for c in s]`: from a text to a list."""
    draft.said.append("turns letters into numbers")
    item, new = draft.new("character"), draft.new("new list")
    c: Tree = ["var", item]
    condition = None if draft.chance(0.7) else ["not_in", c, ["text", draft.letters()]]
    draft.release(item)
    value = ["list", [item], ["each", ["var", old]], ["alphabet_place", c], condition]
    return draft.let(new, value)


def counts(draft: Draft, old: str) -> str:
    """`[s.count(c) for c in s]`, or for letters that a text names: from a text to a list."""
    draft.said.append("counts letters")
    item, new = draft.new("character"), draft.new("new list")
    s, c = ["var", old], ["var", item]
    draft.release(item)
    return draft.let(new, ["list", [item], ["each", s], ["count", s, c], None])


def _changed(draft: Draft, c: Tree) -> Tree:
    forms: tuple[Tree, ...] = (
        ["shift", c, draft.small(1, 9)],
        ["upper", c],
        ["add", c, c],
        ["add", c, ["text", pick(draft.rng, ("x", "-", "o", "."))]],
    )
    return pick(draft.rng, forms)
