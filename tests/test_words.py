"""Identifiers, docstrings and comments use the field's words, not words of our own.

A reader who knows PPO, CFR or forward-backward representations should not have to translate. The
table says what to write instead; an exception has to be listed with its reason.
"""

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "envs", "wrappers", "agents", "benchmarks", "src/zerogym/cli", "src/zerogym/serve", "tools",
    "tests",
)  # fmt: skip

# Not this word: but one of these.
INSTEAD = {
    "told telling": "given, named, reported, explicit, message",
    "asked asking ask asks": "requested, query, request; of a task: posed",
    "wanted wish wishes wished": "target, required, spec; an interval reward",
    "heard hear hears listening": "observed, callback, captured hidden states",
    "paid pay pays paying": "reward, return, score, add_reward",
    "earn earns earned": "reward, return, score, add_reward",
    "seen": "visited, observed, in_sample",
    "truth truths": "oracle (a policy), exact value, ground truth (a label)",
    "contender contenders guest guests sits": "agent, external model, plays",
    "exam exams lesson lessons": "evaluation, training task",
    "heat": "temperature",
    "draft drafts": "running sequence",
    "sleeper quiet calm": "SleepingEngine, progress bars, torch settings",
    "pilot pilots": "controller",
    "usual": "default",
}  # fmt: skip
WORDS = {word: better for words, better in INSTEAD.items() for word in words.split()}

# A word inside these terms is right.
TERMS = r"ground[ _]?truth|truth[ _]?(tables?|values?|assignments?)|pays? attention|usually"
# Where a word is right: a path, the word, and the reason.
EXCEPTIONS = {
    ("envs/control/exogenous/trading", "calm"): "a constant and a task that users type",
    ("envs/reasoning/logic/knights_knaves.py", "truth"): "the example shows a prompt",
    ("envs/reasoning/uncertainty/unanswerable.py", "told"): "the example shows a prompt",
    ("envs/reasoning/uncertainty/unanswerable.py", "pay"): "the example shows a prompt",
    ("agents/zero_shot/models/encoders.py", "seen"): "a key of a saved model's config.json",
    ("agents/zero_shot/prompts/prompt.py", "asked"): "a key of prompt files",
    ("agents/llm/algorithms/auxiliary", "listening"): "the paper's name of its loss",
    ("src/zerogym/cli/commands/agents/train.py", "quiet"): "an attribute of rich's console",
}

# A first line has its subject or its verb in front.
RIDDLE = re.compile(r"(What|Who|Whom|Whose|Where|How|Whether|Of|Which|Why)\b")


def python_files() -> list[Path]:
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return [path for path in files if path != Path(__file__).resolve()]


def words_of(text: str) -> Iterator[str]:
    """Yield the lower-case words of an identifier or of prose."""
    for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text):
        yield part.lower()


@functools.cache
def foreign(text: str) -> list[str]:
    """Return the words of a text that the table names."""
    return [word for word in words_of(re.sub(TERMS, "", text, flags=re.I)) if word in WORDS]


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of everything that the module defines or binds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.lineno, node.name


def prose(text: str, tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """Yield the line, the text and "is it a docstring" of all docstrings and comments.

    A file without a foreign word behind any `#` is not read for comments: tokenizing is slow.
    """
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if isinstance(node, documented) and (docstring := ast.get_docstring(node)):
            yield node.body[0].lineno, docstring, True
    if not any(foreign(line[line.index("#") :]) for line in text.splitlines() if "#" in line):
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def faults(path: Path) -> Iterator[str]:
    """Yield each foreign word and each riddle of a file, with its place."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    place = path.relative_to(ROOT).as_posix()
    allowed = {word for (where, word) in EXCEPTIONS if place.startswith(where)}
    for line, name in identifiers(tree):
        for word in set(foreign(name)) - allowed:
            yield f"{place}:{line}: `{name}`: not '{word}' but {WORDS[word]}"
    for line, words, is_docstring in prose(text, tree):
        for word in set(foreign(words)) - allowed:
            yield f"{place}:{line}: '{word}' in prose: say {WORDS[word]}"
        if is_docstring and RIDDLE.match(words):
            yield f"{place}:{line}: begins with a question word: {words.splitlines()[0]!r}"


@pytest.mark.parametrize("room", ROOMS)
def test_words(room: str) -> None:
    """No identifier, docstring or comment has a word from the left side of the table."""
    found = [
        fault
        for path in python_files()
        if path.is_relative_to(ROOT / room)
        for fault in faults(path)
    ]
    assert not found, f"{len(found)} places:\n" + "\n".join(found[:50])


def test_the_check_finds_what_it_should() -> None:
    assert foreign("is_told") == ["told"]
    assert foreign("TruthTable") == foreign("the truth table") == []
    assert foreign("exact truth") == ["truth"]
    assert RIDDLE.match("Of each own token its advantage.")
