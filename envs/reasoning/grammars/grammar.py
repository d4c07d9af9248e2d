"""Context-free grammars: whether a grammar derives a string, and by which tree.

Left out: empty productions, Reasoning Core's third class of strings ("ambiguous": here a string
that is derived is derived, however often), and lexicons of a natural language.
"""

import re
from itertools import pairwise

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.grammars.grammars import (
    START,
    Grammar,
    Node,
    chart_of,
    count_derivations,
    draw_grammar,
    draw_tree,
    leftmost_derivation,
    words_of,
)
from zerogym.envs.reasoning.renaming import key_up_to_names
from zerogym.envs.reasoning.yes_no import yes_no_fault

WORDS = (
    "ant", "bee", "cat", "cow", "dog", "eel", "elk", "emu", "fox", "gnu", "hen", "jay",
    "koi", "owl", "pig", "ram", "rat", "sow", "yak",
)  # fmt: skip
MAX_NONTERMINALS = 8
MAX_WORDS = 10
MAX_LENGTH = 24
DERIVATIONS = 8  # tried for one grammar, until a string has the required length
PLACES = 3  # at which two strings exchange their ends, until neither result is derived
MAX_SPANS = 60  # lines of a worked solution
_TOKEN = re.compile(r"[()]|[^\s()]+")


class GrammarEnv(ReasoningEnv):
    """Decide whether a grammar derives a string, or give the parse tree.

    Description:
        A context-free grammar is drawn at random, and a string that it derives. Categories:
        `parsability` (is the string derived? For half of the questions two derived strings
        exchanged their ends at a word that both have in the same place, so that neither result is
        derived: words, neighbours and length do not tell the answer) and `parse` (give the parse
        tree; there is exactly one).

    Observation:
        The grammar and the string, as text.

    Action:
        The reply as text; the answer is yes or no, or a tree such as `(S (A cat) dog)`, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if it is right, else 0. Case and blanks do not matter; square brackets are brackets.

    Difficulty:
        `2 + difficulty` nonterminals (at most 8), `4 + difficulty` different words (at most 10),
        and strings of `3 + 2 * difficulty` words (at most 24) or up to 3 more; a fractional part is
        the chance of one more.

    Example:
        >>> env = GrammarEnv(difficulty=0, category="parse")
        >>> print(env.reset(seed=1)[0])
        A grammar:
        S -> U cow | gnu U
        U -> koi | gnu koi cow | ant gnu U
        Give the parse tree of this string, with S at the root:
        gnu koi cow cow
        Write a node as its nonterminal and its children in brackets, for example
        (X one (Y two three)).
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>(S (U gnu koi cow) cow)</answer>")[1]
        1.0

    Source:
        The tasks parsability and parsing of "Reasoning Core: A Scalable RL Environment for LLM
        Symbolic Reasoning" (2025, arXiv 2509.18083). How grammars are drawn is our choice.
    """

    categories = ("parsability", "parse")
    binary = ("parsability",)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category and the answer's kind, then grammars and trees until they fit."""
        category = pick(rng, GrammarEnv.categories)
        level = min(difficulty, 20.0)
        count = min(MAX_NONTERMINALS, 2 + round_randomly(rng, level))
        different = min(MAX_WORDS, 4 + round_randomly(rng, level))
        length = min(MAX_LENGTH, 3 + round_randomly(rng, 2 * level))
        derived = rng.random() < 0.5
        while True:
            vocabulary = sorted(sample_of(rng, WORDS, different))
            grammar = draw_grammar(rng, count, vocabulary)
            trees = (draw_tree(rng, grammar, length + 3) for _ in range(DERIVATIONS))
            tree = next((one for one in trees if one and len(words_of(one)) >= length), None)
            if tree is None:
                continue
            if category == "parsability":
                pair = _exchanged(rng, grammar, tree, length)
                if pair:  # required for both answers, so that the grammar does not give it away
                    tree, wrong = pair
                    words = words_of(tree) if derived else wrong
                    return _yes_or_no(grammar, tree, words, derived)
                continue
            words = words_of(tree)
            if str(tree).count("(") > 1 and count_derivations(grammar, words) == 1:
                return _tree_problem(grammar, tree, words)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return grammar and string up to words, nonterminals and the order of productions."""
        grammar, words = problem.data["grammar"], problem.data["words"]
        rules = [(name, tuple(parts)) for name, rule in grammar.items() for parts in rule]
        symbols = {symbol for name, parts in rules for symbol in (name, *parts)} | {*words}
        statements = [*rules, ("string", tuple(words), "of", START)]
        return f"{problem.category}: {key_up_to_names(statements, sorted(symbols))}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Fill a chart from the bottom up; the generator derives from the top."""
        words = problem.data["words"]
        tree = chart_of(problem.data["grammar"], words)[0, len(words)].get(START)
        if problem.category == "parsability":
            return "yes" if tree else "no"
        if tree is None:
            raise ValueError(f"no tree: {problem.prompt}")
        return tree

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong answer; of a tree, brackets, leaves or nodes."""
        if problem.category == "parsability":
            return yes_no_fault(problem, answer)
        tokens = _tokens(answer)
        if tokens == _tokens(problem.answer):
            return ""
        if tokens.count("(") != tokens.count(")") or tokens[:1] != ["("]:
            return "The brackets do not match."
        pairs = pairwise(["", *tokens])
        leaves = [token for last, token in pairs if token not in "()" and last != "("]
        if leaves != problem.data["words"]:
            return "The leaves of the tree, from left to right, are not the string."
        return "Some node does not follow from a production, or the tree does not begin with S."


def _tokens(answer: str) -> list[str]:
    return _TOKEN.findall(answer.translate(_BRACKETS).casefold().strip().removesuffix("."))


_BRACKETS = str.maketrans("[]", "()", "`'\"$")


def _exchanged(
    rng: np.random.Generator, grammar: Grammar, tree: Node, least: int
) -> tuple[Node, list[str]] | None:
    """Draw two derived strings that exchange their ends at a common word, so that none is derived.

    Return one of the two, as a tree, and one of the results; None if none was found. The two
    results have the words, neighbours, ends and lengths of the two strings, and as many different
    neighbours.
    """
    words = words_of(tree)
    for _ in range(DERIVATIONS):
        other = draw_tree(rng, grammar, least + 3)
        rest = words_of(other) if other else []
        if other is None or len(rest) < least:
            continue
        places = range(min(len(words), len(rest)))
        for place in shuffled(rng, [n for n in places if words[n] == rest[n]])[:PLACES]:
            results = words[:place] + rest[place:], rest[:place] + words[place:]
            as_varied = sorted(map(_variety, results)) == sorted(map(_variety, (words, rest)))
            if as_varied and not any(count_derivations(grammar, result) for result in results):
                return pick(rng, (tree, other)), pick(rng, results)
    return None


def _variety(words: list[str]) -> int:
    return len({*pairwise(words)})


def _written(grammar: Grammar) -> str:
    return "\n".join(
        f"{name} -> {' | '.join(' '.join(parts) for parts in productions)}"
        for name, productions in grammar.items()
    )


def _yes_or_no(grammar: Grammar, tree: Node, words: list[str], derived: bool) -> Problem:
    answer = "yes" if derived else "no"
    if derived:
        steps = ["One derivation:", *leftmost_derivation(tree)]
    else:
        spans = [
            (words[start:end], [name for name in found if name in grammar])
            for (start, end), found in chart_of(grammar, words).items()
        ]
        derived_spans = [f"{' '.join(part)}: {', '.join(names)}" for part, names in spans if names]
        steps = ["What derives which words:", *derived_spans[:MAX_SPANS]]
        steps.append(f"{START} does not derive all {len(words)} words.")
    text, lines = " ".join(words), _written(grammar)
    return Problem(
        prompt=f"A grammar:\n{lines}\nDoes it derive this string from {START}?\n{text}\n"
        "Answer yes or no.",
        answer=answer,
        solution="\n".join([*steps, f"The answer is {answer}."]),
        distractors=("no" if derived else "yes",),
        category="parsability",
        data={"grammar": grammar, "words": words},
        canonical=f"parsability {lines} {text}",
    )


def _tree_problem(grammar: Grammar, tree: Node, words: list[str]) -> Problem:
    answer, text, lines = str(tree), " ".join(words), _written(grammar)
    return Problem(
        prompt=f"A grammar:\n{lines}\nGive the parse tree of this string, with {START} at the "
        f"root:\n{text}\nWrite a node as its nonterminal and its children in brackets, for "
        "example\n(X one (Y two three)).",
        answer=answer,
        solution="\n".join([*leftmost_derivation(tree), f"The tree is {answer}"]),
        distractors=_distractors(tree, text),
        category="parse",
        data={"grammar": grammar, "words": words},
        canonical=f"parse {lines} {text}",
    )


def _distractors(tree: Node, text: str) -> tuple[str, ...]:
    """Put the string under the root alone, leave out an inner node, or rename it."""
    place = next(n for n, child in enumerate(tree.children) if isinstance(child, Node))
    inner = tree.children[place]
    assert isinstance(inner, Node)
    before, after = tree.children[:place], tree.children[place + 1 :]
    without = Node(tree.symbol, (*before, *inner.children, *after))
    other = "S" if inner.symbol != "S" else "A"
    renamed = Node(tree.symbol, (*before, Node(other, inner.children), *after))
    return f"({tree.symbol} {text})", str(without), str(renamed), str(inner)
