"""Context-free grammars without empty productions: draw one, derive, count derivations, parse.

A grammar maps each nonterminal to its productions, lists of symbols; every other symbol is a word.
A production of one nonterminal always leads to a later nonterminal, so no string has infinitely
many derivations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of

Grammar = Mapping[str, list[list[str]]]
START = "S"
NONTERMINALS = "ABCDEFGHJKLMNPQRTUVWXYZ"
MAX_DEPTH = 6  # of a derivation; below it only productions that lead on to later nonterminals
RECURSION = 0.3  # share of productions that may use any nonterminal


@dataclass(frozen=True)
class Node:
    """A nonterminal and the parts that replaced it."""

    symbol: str
    children: tuple["Node | str", ...]

    def __str__(self) -> str:
        return f"({self.symbol} {' '.join(map(str, self.children))})"


def draw_grammar(rng: np.random.Generator, count: int, words: Sequence[str]) -> Grammar:
    """Draw `count` nonterminals, all of them reachable; the first production of each ends."""
    names = [START, *sample_of(rng, NONTERMINALS, count - 1)]
    grammar: dict[str, list[list[str]]] = {}
    for place, name in enumerate(names):
        later = names[place + 1 :]
        grammar[name] = [_draw_production(rng, later, later, words)]
        for _ in range(draw_int(rng, 1, 2)):
            anywhere = rng.random() < RECURSION
            grammar[name].append(_draw_production(rng, later, names if anywhere else later, words))
    for place, name in enumerate(names[1:], 1):
        parent = grammar[pick(rng, names[:place])]
        production = parent[draw_int(rng, 0, len(parent) - 1)]
        production.insert(draw_int(rng, 0, len(production)), name)
    return {name: list(map(list, dict.fromkeys(map(tuple, p)))) for name, p in grammar.items()}


def _draw_production(
    rng: np.random.Generator, later: Sequence[str], allowed: Sequence[str], words: Sequence[str]
) -> list[str]:
    """Draw one to three symbols; a single nonterminal is one of the later ones."""
    length = draw_int(rng, 1, 3)
    choice = allowed if length > 1 else later
    return [pick(rng, choice if choice and rng.random() < 0.4 else words) for _ in range(length)]


def draw_tree(
    rng: np.random.Generator, grammar: Grammar, most: int, symbol: str = START, depth: int = 0
) -> Node | None:
    """Draw a derivation; None if it gets more than `most` words."""
    productions = grammar[symbol]
    chosen = productions[0] if depth >= MAX_DEPTH else pick(rng, productions)
    children: list[Node | str] = []
    left = most
    for part in chosen:
        child = draw_tree(rng, grammar, left, part, depth + 1) if part in grammar else part
        left -= len(words_of(child)) if child is not None else left + 1
        if child is None or left < 0:
            return None
        children.append(child)
    return Node(symbol, tuple(children))


def words_of(tree: Node | str) -> list[str]:
    """Return the leaves from left to right."""
    if isinstance(tree, str):
        return [tree]
    return [word for child in tree.children for word in words_of(child)]


def leftmost_derivation(tree: Node) -> list[str]:
    """Return the strings that come out if the leftmost nonterminal is always replaced first."""
    form: list[Node | str] = [tree]
    lines = []
    while True:
        lines.append(" ".join(part if isinstance(part, str) else part.symbol for part in form))
        place = next((n for n, part in enumerate(form) if isinstance(part, Node)), None)
        if place is None:
            return lines
        node = form[place]
        assert isinstance(node, Node)
        form[place : place + 1] = node.children


def count_derivations(grammar: Grammar, words: Sequence[str]) -> int:
    """Count the trees that derive the words from the start, by recursion on spans from the top.

    Example:
        >>> count_derivations({"S": [["a"], ["S", "S"]]}, ["a", "a", "a"])
        2
    """
    known: dict[tuple[str, int, int], int] = {}

    def of_symbol(symbol: str, start: int, end: int) -> int:
        if symbol not in grammar:
            return int(end == start + 1 and words[start] == symbol)
        key = symbol, start, end
        if key not in known:
            known[key] = sum(of_parts(parts, 0, start, end) for parts in grammar[symbol])
        return known[key]

    def of_parts(parts: list[str], place: int, start: int, end: int) -> int:
        left = len(parts) - place - 1
        if left == 0:
            return of_symbol(parts[place], start, end)
        ends = range(start + 1, end - left + 1)
        if parts[place] not in grammar:
            ends = ends[:1]  # a word is one word long
        total = 0
        for middle in ends:
            ways = of_symbol(parts[place], start, middle)
            total += ways and ways * of_parts(parts, place + 1, middle, end)
        return total

    return of_symbol(START, 0, len(words))


Span = tuple[int, int]


def chart_of(grammar: Grammar, words: Sequence[str]) -> dict[Span, dict[str, str]]:
    """Return for each span the symbols that derive it, with a tree as text: from the bottom up.

    Example:
        >>> chart_of({"S": [["a", "B"]], "B": [["b"], ["b", "B"]]}, ["a", "b", "b"])[0, 3]
        {'S': '(S a (B b (B b)))'}
    """
    chart: dict[Span, dict[str, str]] = {}
    begun: dict[Span, dict[tuple[str, int, int], str]] = {}  # production and place in it
    for length in range(1, len(words) + 1):
        for start in range(len(words) - length + 1):
            end = start + length
            found = {words[start]: words[start]} if length == 1 else {}
            open_: dict[tuple[str, int, int], str] = {}
            for middle in range(start + 1, end):
                done = chart[middle, end]
                for (name, which, place), text in begun[start, middle].items():
                    parts = grammar[name][which]
                    if parts[place] not in done:
                        continue
                    longer = f"{text} {done[parts[place]]}"
                    if place + 1 == len(parts):
                        found.setdefault(name, f"({name} {longer})")
                    else:
                        open_[name, which, place + 1] = longer
            _begin(grammar, found, open_)
            chart[start, end], begun[start, end] = found, open_
    return chart


def _begin(grammar: Grammar, found: dict[str, str], begun: dict[tuple[str, int, int], str]) -> None:
    """Add productions of one symbol that is found, and begin longer ones with it."""
    queue = list(found)
    for symbol in queue:
        for name, productions in grammar.items():
            for which, parts in enumerate(productions):
                if parts[0] != symbol:
                    continue
                if len(parts) > 1:
                    begun[name, which, 1] = found[symbol]
                elif name not in found:
                    found[name] = f"({name} {found[symbol]})"
                    queue.append(name)
