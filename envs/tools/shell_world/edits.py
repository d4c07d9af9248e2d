"""Changes of a folder: in words, as a script, and as a function of its files.

The function does not use the script: that both lead to the same files is a test.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.envs.tools.shell_world.step import Step
from zerogym.envs.tools.shell_world.tree import KINDS, LEVELS, Tree, kind_of, name_of


@dataclass(frozen=True)
class Edit(Step):
    """A change of files."""

    @abstractmethod
    def apply(self, tree: Tree) -> Tree:
        """Return the files afterwards."""


@dataclass(frozen=True)
class MoveKind(Edit):
    """Moves all files of a kind into a new folder."""

    kind: str
    folder: str

    @property
    def text(self) -> str:
        return f"move every .{self.kind} file, wherever it is, into a new folder {self.folder}"

    @property
    def script(self) -> str:
        find = f"find . -name '*.{self.kind}' -not -path './{self.folder}/*'"
        return f"mkdir {self.folder}\n{find} -exec mv {{}} {self.folder}/ \\;"

    def apply(self, tree: Tree) -> Tree:
        return {
            f"{self.folder}/{name_of(path)}" if kind_of(path) == self.kind else path: text
            for path, text in tree.items()
        }


@dataclass(frozen=True)
class DeleteEmpty(Edit):
    """Deletes empty files."""

    @property
    def text(self) -> str:
        return "delete every empty file"

    @property
    def script(self) -> str:
        return "find . -type f -empty -delete"

    def apply(self, tree: Tree) -> Tree:
        return {path: text for path, text in tree.items() if text}


@dataclass(frozen=True)
class Replace(Edit):
    """Replaces a word in all files of a kind."""

    kind: str
    old: str
    new: str

    @property
    def text(self) -> str:
        return f"in every .{self.kind} file, replace the word {self.old} by {self.new} everywhere"

    @property
    def script(self) -> str:
        return f"find . -name '*.{self.kind}' -exec sed -i 's/{self.old}/{self.new}/g' {{}} +"

    def apply(self, tree: Tree) -> Tree:
        return {
            path: text.replace(self.old, self.new) if kind_of(path) == self.kind else text
            for path, text in tree.items()
        }


@dataclass(frozen=True)
class Rename(Edit):
    """Changes the ending of all files of a kind."""

    kind: str
    ending: str

    @property
    def text(self) -> str:
        return f"rename every .{self.kind} file so that it ends in .{self.ending}"

    @property
    def script(self) -> str:
        rename = f'mv "$file" "${{file%.{self.kind}}}.{self.ending}"'
        return f"find . -name '*.{self.kind}' | while read -r file; do {rename}; done"

    def apply(self, tree: Tree) -> Tree:
        return {
            f"{path.removesuffix(self.kind)}{self.ending}"
            if kind_of(path) == self.kind
            else path: (text)
            for path, text in tree.items()
        }


@dataclass(frozen=True)
class CopyWith(Edit):
    """Copies the files that hold a word into a new folder."""

    word: str
    folder: str

    @property
    def text(self) -> str:
        return f"copy every file that contains the word {self.word} into a new folder {self.folder}"

    @property
    def script(self) -> str:
        grep = f"grep -rlw --exclude-dir={self.folder} {self.word} ."
        return (
            f'mkdir {self.folder}\n{grep} | while read -r file; do cp "$file" {self.folder}; done'
        )

    def apply(self, tree: Tree) -> Tree:
        found = {path: text for path, text in tree.items() if self.word in text}
        return {**tree, **{f"{self.folder}/{name_of(path)}": text for path, text in found.items()}}


@dataclass(frozen=True)
class DropLines(Edit):
    """Deletes the lines of a level from all logs."""

    level: str

    @property
    def text(self) -> str:
        return f"delete the lines of level {self.level} from every .log file"

    @property
    def script(self) -> str:
        return f"find . -name '*.log' -exec sed -i '/ {self.level} /d' {{}} +"

    def apply(self, tree: Tree) -> Tree:
        def kept(text: str) -> str:
            lines = text.splitlines(keepends=True)
            return "".join(line for line in lines if line.split()[2] != self.level)

        return {p: kept(text) if kind_of(p) == "log" else text for p, text in tree.items()}


@dataclass(frozen=True)
class SortInto(Edit):
    """Writes the different lines of a file, sorted, to a new one."""

    path: str
    new: str

    @property
    def text(self) -> str:
        return f"write the different lines of {self.path}, sorted, to a new file {self.new}"

    @property
    def script(self) -> str:
        return f"sort -u {self.path} > {self.new}"

    def apply(self, tree: Tree) -> Tree:
        lines = sorted(set(tree.get(self.path, "").splitlines()))
        return {**tree, self.new: "".join(f"{line}\n" for line in lines)}


Draw = Callable[[np.random.Generator, Tree, Sequence[str], str], Edit]


def _pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


DRAWS: tuple[Draw, ...] = (
    lambda rng, tree, words, new: MoveKind(_pick(rng, KINDS), new),
    lambda rng, tree, words, new: DeleteEmpty(),
    lambda rng, tree, words, new: Replace(_pick(rng, KINDS), _pick(rng, words), new),
    lambda rng, tree, words, new: Rename(_pick(rng, KINDS), new[:3]),
    lambda rng, tree, words, new: CopyWith(_pick(rng, words), new),
    lambda rng, tree, words, new: DropLines(_pick(rng, LEVELS)),
    lambda rng, tree, words, new: SortInto(_pick(rng, list(tree)), f"{new}.txt"),
)


def sample_edit(
    rng: np.random.Generator, tree: Tree, words: Sequence[str], new: str
) -> tuple[Edit, Tree]:
    """Draw a change that has an effect and overwrites nothing; return the files afterwards, too.

    Args:
        rng: The source of randomness.
        tree: The files before.
        words: The vocabulary of the files.
        new: A name that nothing has yet.
    """
    while True:
        edit = DRAWS[int(rng.integers(len(DRAWS)))](rng, tree, words, new)
        after = edit.apply(tree)
        moves = isinstance(edit, MoveKind | CopyWith | Rename)
        unique = len({name_of(path) for path in tree}) == len(tree)
        if after != tree and (unique or not moves):
            return edit, after
