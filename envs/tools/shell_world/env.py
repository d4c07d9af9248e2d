"""Shell: carry out steps in a folder with bash, and print what the last one names.

Left out: commands that the sandbox has no use for (networks, users, processes), and a current
folder and variables that stay from script to script.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerogym.envs.tools.folder.bash import FolderState
from zerogym.envs.tools.folder.world import FolderWorld
from zerogym.envs.tools.notebook.puzzle import sample_names
from zerogym.envs.tools.shell_world.edits import Edit, sample_edit
from zerogym.envs.tools.shell_world.queries import DRAWS, Query
from zerogym.envs.tools.shell_world.reward import Files, parts, score
from zerogym.envs.tools.shell_world.step import Step
from zerogym.envs.tools.shell_world.tree import KINDS, Tree, sample_tree
from zerogym.envs.tools.world import Judgement

MAX_EDITS, MAX_FILES = 6, 40
VOCABULARY = 10
_PROMPT = """\
Work with bash in a folder with these files:
{files}
Carry out these steps in their order:
{steps}
Your last script must print exactly what the last step says, and nothing else; after it, answer \
<answer>done</answer>."""


@dataclass(frozen=True)
class ShellProblem:
    """Files, changes of them, and a question about the result.

    Attributes:
        kind: The kind of the question.
        tree: The files at the beginning.
        edits: The changes, in order.
        query: The question.
    """

    kind: str
    tree: Tree
    edits: tuple[Edit, ...]
    query: Query

    @property
    def question(self) -> str:
        texts = [step.text for step in self.steps]
        return "\n".join(
            f"{number}. {text[0].upper()}{text[1:]}." for number, text in enumerate(texts, 1)
        )

    @property
    def category(self) -> str:
        return self.kind

    @property
    def steps(self) -> tuple[Step, ...]:
        """The changes and the question."""
        return (*self.edits, self.query)

    def end(self, without: int | None = None) -> tuple[Tree, str]:
        """Return the files at the end and the output, maybe without one of the changes."""
        tree = self.tree
        for number, edit in enumerate(self.edits):
            tree = tree if number == without else edit.apply(tree)
        return tree, self.query.output(tree)


class ShellEnv(FolderWorld[ShellProblem]):
    """Change a generated folder of files with bash, and print what the last step names.

    Description:
        Texts, logs, tables and settings lie in folders with made-up names. The steps move, rename,
        copy, filter or rewrite files, and the last one prints something about the result: a count,
        a sum, paths, sizes, frequent words. Scripts run with the system's own tools in the sandbox,
        each in a process of its own; the files go from script to script.

    Observation:
        First the paths of the files and the steps; then what each script printed, with the middle
        cut out above 4,000 characters.

    Action:
        The reply as text: calls of `bash`, or the answer, whose text does not matter.

    Reward:
        At the answer: InterCode's reward above that of doing nothing, as a share of what is
        possible. It compares the changes of files, their contents and the output of the last script
        with the right ones (`reward.py` has the formula and the differences). `info["intercode"]`
        is the reward as published, up to those; `info["parts"]` its three parts.

    Episode end:
        At the answer; truncated without reward after `max_turns` replies, and with
        `info["unavailable"]` if the sandbox fails twice in a row. A machine that cannot hold the
        sandbox raises `SandboxUnavailable` at the first script.

    Difficulty:
        `difficulty` changes (at most 6; a fractional part is the chance of one more) of
        `6 + 4 * difficulty` files (at most 40), and the question.

    Arguments:
        `difficulty` (default 1), `split`, `category` (a kind of question: count, lines, paths,
        total, sizes, words, levels), `max_turns` (default 18), `max_calls` (default 16),
        `call_cost`, `format`, `render_mode`; `level` of the sandbox (`strong` or `landlock`).

        A script has 5 CPU seconds, 20 s on the clock, 256 MiB of memory; the files at most 512 KiB
        and 1,000 entries, else they stay as they were. User ids and the clock that a script reads
        differ from run to run.

    Example:
        >>> env = ShellEnv(difficulty=0)
        >>> prompt, info = env.reset(seed=0)
        >>> print(prompt[prompt.index("1.") :].splitlines()[0])
        1. Print ...
        >>> print(env.oracle_action())
        <bash>...</bash>

    Source:
        "InterCode: Standardizing and Benchmarking Interactive Coding with Execution Feedback"
        (2023, arXiv 2306.14898): its Bash task and reward. Its folders and commands are NL2Bash's
        in Docker; ours are generated.
    """

    problem_class = ShellProblem
    categories: ClassVar[tuple[str, ...]] = tuple(DRAWS)

    def random_action(self, rng: np.random.Generator) -> str:
        """A look that changes nothing, then the answer."""
        if self._running().calls:
            return self.answer_action()
        kind = KINDS[int(rng.integers(len(KINDS)))]
        looks = ("ls -R", "find . -type f | wc -l", f"ls *.{kind}", f"find . -name '*.{kind}'")
        return f"<bash>{looks[int(rng.integers(len(looks)))]}</bash>"

    @classmethod
    def canonical_key(cls, problem: ShellProblem) -> str:
        """Return the steps and the files."""
        return json.dumps([problem.question, dict(problem.tree)])

    def _files(self, problem: ShellProblem) -> Tree:
        return problem.tree

    def _scripts(self, problem: ShellProblem) -> Sequence[str]:
        return [step.script for step in problem.steps]

    def _judge(self, problem: ShellProblem, state: FolderState, answer: str) -> Judgement:
        tree, gold = problem.end()
        ends = (_encoded(problem.tree), _encoded(tree), gold, state.folder.files(), state.output)
        compared, reached = parts(*ends), score(*ends)
        wrong = [
            name
            for name, part in (
                ("the changed files", compared.changes),
                ("their contents", compared.contents),
                ("the last output", compared.output),
            )
            if part < 1.0
        ]
        feedback = f"Not right: {', '.join(wrong)}." if wrong else ""
        named = {"changes": compared.changes, "contents": compared.contents}
        info = {"intercode": compared.reward, "parts": named | {"output": compared.output}}
        return Judgement(reached, feedback, info)

    def _task(self, problem: ShellProblem) -> str:
        return _PROMPT.format(files="\n".join(problem.tree), steps=problem.question)

    def _sample(self, difficulty: float) -> ShellProblem:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> ShellProblem:
        rng, level = self.np_random, min(difficulty, 10.0)
        count = min(MAX_EDITS, int(level) + (rng.random() < level % 1))
        names = sample_names(rng, VOCABULARY + count)
        words, new = names[:VOCABULARY], names[VOCABULARY:]
        tree = begin = sample_tree(rng, min(MAX_FILES, int(6 + 4 * level)), words)
        edits = []
        for name in new:
            edit, tree = sample_edit(rng, tree, words, name)
            edits.append(edit)
        kind = category or self.categories[int(rng.integers(len(self.categories)))]
        return ShellProblem(kind, begin, tuple(edits), DRAWS[kind](rng, tree, words))

    def _is_sound(self, problem: ShellProblem) -> bool:
        """Return whether every step matters, and there is something to print."""
        end = problem.end()
        return bool(end[1].strip()) and all(
            problem.end(number) != end for number in range(len(problem.edits))
        )


def _encoded(tree: Tree) -> Files:
    return {path: text.encode() for path, text in tree.items()}
