"""Questions about a folder: in words, as a script that prints the answer, and as a function."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.envs.tools.shell_world.step import Step
from zerogym.envs.tools.shell_world.tree import KINDS, Tree, kind_of


@dataclass(frozen=True)
class Query(Step):
    """A question about files."""

    @abstractmethod
    def output(self, tree: Tree) -> str:
        """Return what has to be printed; nothing if the question does not fit the files."""


@dataclass(frozen=True)
class Count(Query):
    """The number of files of a kind."""

    kind: str

    @property
    def text(self) -> str:
        return f"print the number of .{self.kind} files in all folders"

    @property
    def script(self) -> str:
        return f"find . -name '*.{self.kind}' | wc -l"

    def output(self, tree: Tree) -> str:
        return f"{sum(kind_of(path) == self.kind for path in tree)}\n"


@dataclass(frozen=True)
class Lines(Query):
    """The number of lines with a word in all files."""

    word: str

    @property
    def text(self) -> str:
        return f"print how many lines of all files together contain the word {self.word}"

    @property
    def script(self) -> str:
        return f"grep -rhw {self.word} . | wc -l"

    def output(self, tree: Tree) -> str:
        return f"{sum(self.word in line for text in tree.values() for line in text.splitlines())}\n"


@dataclass(frozen=True)
class Paths(Query):
    """The files with a word."""

    word: str

    @property
    def text(self) -> str:
        path = "path from here (without ./ in front)"
        return f"print the {path} of every file that contains the word {self.word}, sorted"

    @property
    def script(self) -> str:
        return f"grep -rlw {self.word} . | sed 's|^./||' | sort"

    def output(self, tree: Tree) -> str:
        return "".join(f"{path}\n" for path in sorted(tree) if self.word in tree[path])


@dataclass(frozen=True)
class Total(Query):
    """The sum of a table's amounts."""

    path: str

    @property
    def text(self) -> str:
        return f"print the sum of the second column of {self.path}"

    @property
    def script(self) -> str:
        return f"awk -F, 'NR > 1 {{ sum += $2 }} END {{ print sum + 0 }}' {self.path}"

    def output(self, tree: Tree) -> str:
        if self.path not in tree:
            return ""
        rows = tree[self.path].splitlines()[1:]
        return f"{sum(int(row.split(',')[1]) for row in rows)}\n"


@dataclass(frozen=True)
class Sizes(Query):
    """The largest files."""

    number: int

    @property
    def text(self) -> str:
        return (
            f"print the {self.number} largest files, the largest first and of equal ones the first "
            "path, each as a line with its size in bytes, a blank and its path from here"
        )

    @property
    def script(self) -> str:
        return f"find . -type f -printf '%s %P\\n' | sort -k1,1nr -k2 | head -n {self.number}"

    def output(self, tree: Tree) -> str:
        sizes = sorted((-len(text.encode()), path) for path, text in tree.items())
        return "".join(f"{-size} {path}\n" for size, path in sizes[: self.number])


@dataclass(frozen=True)
class Words(Query):
    """The most frequent words of a text."""

    path: str
    number: int

    @property
    def text(self) -> str:
        return (
            f"print the {self.number} most frequent words of {self.path}, the most frequent first "
            "and of equal ones in alphabetical order, each as a line with its count, a blank and "
            "the word"
        )

    @property
    def script(self) -> str:
        count = "sort | uniq -c | sort -k1,1nr -k2"
        return (
            f"tr ' ' '\\n' < {self.path} | {count} | head -n {self.number} | awk '{{print $1, $2}}'"
        )

    def output(self, tree: Tree) -> str:
        counts = Counter(tree.get(self.path, "").split())
        order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return "".join(f"{count} {word}\n" for word, count in order[: self.number])


@dataclass(frozen=True)
class Levels(Query):
    """The lines of all logs by level."""

    @property
    def text(self) -> str:
        return (
            "print how many lines of each level all .log files have together, in alphabetical "
            "order of the levels, each as a line with the count, a blank and the level"
        )

    @property
    def script(self) -> str:
        cat = "find . -name '*.log' -exec cat {} +"
        return f"{cat} | awk '{{print $3}}' | sort | uniq -c | awk '{{print $1, $2}}'"

    def output(self, tree: Tree) -> str:
        logs = (text for path, text in tree.items() if kind_of(path) == "log")
        counts = Counter(line.split()[2] for text in logs for line in text.splitlines())
        return "".join(f"{count} {level}\n" for level, count in sorted(counts.items()))


Draw = Callable[[np.random.Generator, Tree, Sequence[str]], Query]


def _pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _of_kind(tree: Tree, kind: str) -> list[str]:
    return [path for path in tree if kind_of(path) == kind] or [f"none.{kind}"]


DRAWS: Mapping[str, Draw] = {
    "count": lambda rng, tree, words: Count(_pick(rng, KINDS)),
    "lines": lambda rng, tree, words: Lines(_pick(rng, words)),
    "paths": lambda rng, tree, words: Paths(_pick(rng, words)),
    "total": lambda rng, tree, words: Total(_pick(rng, _of_kind(tree, "csv"))),
    "sizes": lambda rng, tree, words: Sizes(int(rng.integers(2, 5))),
    "words": lambda rng, tree, words: Words(_pick(rng, _of_kind(tree, "txt")), 3),
    "levels": lambda rng, tree, words: Levels(),
}
