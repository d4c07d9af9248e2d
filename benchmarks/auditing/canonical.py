"""A canonical form of prompts: equal for problems that differ in names and order only.

It knows no task. Names are words that are rare among the prompts of the environment and come more
than once in this one. Each gets a colour from the places where it occurs, then from the colours of
the names beside it (colour refinement, as in tests of graph isomorphism). Lines, sentences, lists
of names and the operands of commutative operators are sorted.

Left out: names that only differ in form (`fisher`, `fishers`), names inside of other words, and
the rare problems that colour refinement cannot tell apart (regular graphs).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

COMMON = 1 / 3  # share of the prompts from which on a word belongs to the form of the task
ROUNDS = 3  # of refinement; names differ in colour by what is that far away
_TOKEN = re.compile(r"<->|->|=>|<=|>=|!=|\d+(?:\.\d+)?|[^\W\d]\w*|\S")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_MARK = re.compile(r"^\s*(?:\(?\d+[.):]|[-*•])\s+")  # the number or bullet before an item of a list
_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, ")]}"
_JOINERS = {",", "and", "or"}
# From the loosest: the operators, and whether the operands may be exchanged.
_OPERATORS = (
    (("=",), True),
    (("<->",), True),
    (("->", "=>"), False),
    (("|", "∨", "or"), True),
    (("&", "∧", "and"), True),
    (("+", "-"), True),
    (("*", "×", "·"), True),
)
_SYMBOLS = {symbol for symbols, _ in _OPERATORS for symbol in symbols} | {"~", "¬", "/", "^"}

Tree = str | tuple["Tree", ...]  # a token, or ("set" | "row", *parts)


def tokens(text: str) -> list[str]:
    """Split a text into words, numbers and symbols."""
    return _TOKEN.findall(text)


def is_word(token: str) -> bool:
    """Return True for what may be a name."""
    return token[0].isalpha()


def sentences(prompt: str) -> list[str]:
    """Split a prompt at the ends of lines and sentences, without numbers and bullets of lists."""
    lines = (_MARK.sub("", line) for line in prompt.split("\n"))
    parts = (part.strip() for line in lines for part in _SENTENCE.split(line))
    return [part for part in parts if part]


def common_words(prompts: Sequence[str]) -> set[str]:
    """Return the words that belong to the form of the task: those in a third of the prompts."""
    found = Counter(word for prompt in prompts for word in set(filter(is_word, tokens(prompt))))
    return {word for word, count in found.items() if count >= COMMON * len(prompts)}


def names(prompt: str, common: set[str]) -> set[str]:
    """Return the names in a prompt: words that are not common and come more than once."""
    found = Counter(token for token in tokens(prompt) if is_word(token) and token not in common)
    return {word for word, count in found.items() if count > 1}


def rough_form(prompt: str, common: set[str]) -> tuple[str, ...]:
    """Return a quick form that is equal whenever the canonical ones are: the sorted tokens."""
    hidden = names(prompt, common)
    parts = [token for sentence in sentences(prompt) for token in tokens(sentence)]
    return tuple(sorted("" if token in hidden else token for token in parts))


@dataclass(frozen=True)
class Form:
    """A form of a problem: equal problems have equal prompts, and should have equal answers."""

    prompt: str
    answer: str


def form_up_to_names(prompt: str, answer: str, common: set[str]) -> Form:
    """Return prompt and answer with each name replaced by the number of its first occurrence."""
    hidden = names(prompt, common)
    parts = [token for sentence in sentences(prompt) for token in tokens(sentence)]
    found = list(dict.fromkeys(token for token in parts if token in hidden))
    show = _with({name: f"#{number}" for number, name in enumerate(found)})
    return Form(" ".join(map(show, parts)), " ".join(map(show, tokens(answer))))


def form_up_to_order(prompt: str, answer: str, common: set[str]) -> Form:
    """Return prompt and answer with each name replaced by its colour, and the parts sorted."""
    hidden = names(prompt, common)
    trees = [_tree(tokens(sentence), hidden) for sentence in sentences(prompt)]
    holding = {name: [tree for tree in trees if _holds(tree, name)] for name in hidden}
    colors = dict.fromkeys(hidden, "name")
    for _ in range(ROUNDS):
        colors = {
            name: _digest(_written(tree, _with(colors, name)) for tree in holding[name])
            for name in hidden
        }
    show = _with(colors)
    parts = [tokens(part) for part in re.split("[,;\n]", answer)]
    shown = [" ".join(map(show, part)) for part in parts]
    if all(hidden.intersection(part) for part in parts):  # one for each name, in any order
        shown.sort()
    return Form(_digest(_written(tree, show) for tree in trees), ", ".join(shown))


def _with(colors: dict[str, str], marked: str = "") -> Callable[[str], str]:
    """Return what writes a token: a name as its colour, the marked one as a sign of its own."""
    return lambda token: "@" if token == marked else colors.get(token, token)


def _digest(parts: Iterable[str]) -> str:
    data = "\n".join(sorted(parts)).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _holds(tree: Tree, name: str) -> bool:
    return tree == name if isinstance(tree, str) else any(_holds(part, name) for part in tree)


def _written(tree: Tree, show: Callable[[str], str]) -> str:
    if isinstance(tree, str):
        return show(tree)
    kind, *parts = tree
    shown = [_written(part, show) for part in parts]
    return f"({' '.join(sorted(shown) if kind == 'set' else shown)})"


def _tree(parts: list[str], hidden: set[str]) -> Tree:
    """The tree of a sentence: brackets, then lists of names, then operators."""
    level: list[Tree] = []
    stack: list[tuple[list[Tree], str]] = []
    for token in parts:
        if token in _OPENING:
            stack.append((level, token))
            level = []
        elif token in _CLOSING and stack and _OPENING[stack[-1][1]] == token:
            outer, opening = stack.pop()
            outer.append(("row", opening, _level(level, hidden)))
            level = outer
        else:
            level.append(token)
    while stack:  # brackets that do not close
        outer, opening = stack.pop()
        level = [*outer, opening, *level]
    return _level(level, hidden)


def _level(items: list[Tree], hidden: set[str]) -> Tree:
    """The tree of the items between two brackets, with runs of an expression split at operators."""

    def in_expression(item: Tree) -> bool:
        if not isinstance(item, str):
            return True
        return item in hidden or item in _SYMBOLS or item[0].isdigit() or _is_letter(item)

    listed = _name_lists(items, hidden)
    parts: list[Tree] = []
    for inside, grouped in groupby(listed, in_expression):
        run = list(grouped)
        parts += [_expression(run)] if inside else run
    return ("row", *parts)


def _is_letter(token: str) -> bool:
    return len(token) == 1 and is_word(token)


def _name_lists(items: list[Tree], hidden: set[str]) -> list[Tree]:
    """Replace lists such as `Ann, Bob and Cid` by a set."""
    found: list[Tree] = []
    place = 0
    while place < len(items):
        members, end = [], place
        while end < len(items) and items[end] in hidden:
            members.append(items[end])
            after = end + 1
            while after < len(items) and items[after] in _JOINERS:
                after += 1
            if after == end + 1 or after >= len(items) or items[after] not in hidden:
                end += 1
                break
            end = after
        if len(members) > 1:
            found.append(("set", *members))
            place = end
        else:
            found.append(items[place])
            place += 1
    return found


def _expression(items: list[Tree]) -> Tree:
    """Split at the loosest operator, and the operands in the same way."""
    for symbols, exchangeable in _OPERATORS:
        cuts = [
            place
            for place in range(1, len(items))
            if items[place] in symbols and items[place - 1] not in _SYMBOLS
        ]
        if not cuts:
            continue
        first = items[0] if "+" in symbols and items[0] in symbols else "+"
        starts = [int(items[0] in symbols), *(cut + 1 for cut in cuts)]
        ends = [*cuts, len(items)]
        parts = [_expression(items[a:b]) for a, b in zip(starts, ends, strict=True)]
        if "+" in symbols:
            signs = [first, *(items[cut] for cut in cuts)]
            parts = [("row", sign, part) for sign, part in zip(signs, parts, strict=True)]
        return ("row", symbols[0], ("set" if exchangeable else "row", *parts))
    return ("row", *items)
