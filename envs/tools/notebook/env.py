"""Notebook: answer questions by computing over files, in a notebook that keeps its variables.

Left out: packages beyond the standard library, plots, and files that the model hands back.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty, ProblemEnv
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls.showing import plain
from zerogym.envs.tools.interpreters.execution import MAX_CHARACTERS, run_for_model, shared_sandbox
from zerogym.envs.tools.notebook.puzzle import Puzzle, is_right, sample_names
from zerogym.envs.tools.notebook.reply import read_reply
from zerogym.envs.tools.notebook.sample import SAMPLERS, sample_puzzle
from zerogym.envs.tools.sandbox import Limits
from zerogym.envs.tools.sandbox.notebook import Notebook
from zerogym.envs.tools.sandbox.result import Level

LEVEL: Level = "strong"
LIMITS = Limits(cpu_s=5.0, wall_s=30.0, memory_mib=512, output_kib=256)
EPISODE_CPU_S = 60.0
SHOWN_LINES, SHOWN_CHARACTERS = 10, 300  # of each file, in a prompt that shows how files begin
_PROMPT = """\
Answer the question by computing over files in the working folder: {names}. A reply with
```python
...
```
(or <python>...</python>) runs as a cell of a notebook: variables stay, and you see what it prints \
and the value of its last line. Only Python's standard library is there. A reply with \
<answer>...</answer> ends with your answer. You have {turns} replies.
{shown}Question: {question}"""
_VOID = "There is neither a cell nor an answer in the reply. Write ```python ... ``` or <answer>."
_LOOK = """\
for name in {names!r}:
    print(name, open(name).read(300), sep="\\n")"""


@dataclass
class Episode:
    """What changes during an episode.

    Attributes:
        puzzle: The files and the question.
        difficulty: As drawn.
        notebook: The cells that ran; None before the first.
        turn: Replies so far.
        cells: Cells so far.
        over: Whether the episode has ended.
        last: The last cell, and what came back.
        transcript: Replies (cut) and what came back.
    """

    puzzle: Puzzle
    difficulty: float
    notebook: Notebook | None = None
    turn: int = 0
    cells: int = 0
    over: bool = False
    last: tuple[str, str] = ("", "")
    transcript: list[str] = field(default_factory=list)


class NotebookEnv(ProblemEnv[Puzzle]):
    """Look at generated files, compute over them in a notebook, answer.

    Description:
        Files (CSV tables, a log, nested JSON, a graph, a text, a list of numbers, periods of days,
        instructions to carry out) and a question with one exact answer are drawn from the seed:
        too much to do in one's head, and nothing to remember. Cells run in the sandbox, in one
        session for each episode, which starts with the first cell. From difficulty 1 on the prompt
        only names the files, and each has one of several layouts: they must be looked at first.

    Observation:
        First the question; then what the cell gave: its output, the value of its last expression,
        its traceback, or why it was stopped, with the middle cut out above 4,000 characters.

    Action:
        The reply as text. The last fenced block of Python or `<python>...</python>` runs as a cell;
        an `<answer>...</answer>` or a box behind it ends the episode. A reply with neither is a
        void turn.

    Reward:
        1 if the answer is the right one (the same number, or the same words in order), else 0.

    Episode end:
        At an answer; truncated without reward after `max_turns` replies. If the sandbox fails twice
        in a row, truncated with `info["unavailable"]` and no score: it says nothing of the reply.
        A machine that has no sandbox raises `SandboxUnavailable` at the first cell.

    Difficulty:
        Files hold about `2 ** difficulty` times as much as at 0, up to some thousand lines; the
        number of files, conditions, levels, stops and steps grows too. Below 1 it is also the
        chance that the layout is hidden.

    Arguments:
        `difficulty` (default 1), `split`, `category` (table, log, graph, simulation, text, records,
        numbers, dates), `max_turns` (default 8, at least 2), `render_mode`. There is no choice of a
        level of the sandbox: only `strong` has sessions.

        A cell has 5 CPU seconds, 30 s on the clock, 512 MiB of memory, 128 MiB of files and 256 KiB
        of output; all cells of an episode together 60 CPU seconds. When its time is up a cell is
        interrupted, and the variables stay.

    Example:
        >>> env = NotebookEnv(difficulty=0, category="numbers")
        >>> prompt, info = env.reset(seed=0)
        >>> print(prompt[prompt.index("Question") :])
        Question: hopoga.txt holds a list of integers. Sort the different numbers ...
        >>> env.step("<answer>741</answer>")[1]  # after cells, or at once as here
        1.0

    Source:
        Our task. A notebook as the only tool, over several turns, with a verifiable answer: "L0:
        Reinforcement Learning to Become General Agents" (2025, arXiv 2506.23667), whose agent
        works in a persistent interpreter; its data is question answering, ours is generated.
    """

    problem_class = Puzzle
    waits = True
    categories: ClassVar[tuple[str, ...]] = tuple(SAMPLERS)

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int = 8,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, render_mode)
        if isinstance(max_turns, bool) or not isinstance(max_turns, int) or max_turns < 2:
            raise ValueError(f"{self.name}: max_turns must be an int >= 2, got {max_turns!r}")
        self.max_turns = max_turns

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a puzzle; `options` may pin `difficulty`, `split`, `category` or `problem`."""
        super().reset(seed=seed)
        picked = self._pick(options)
        self.close()
        self._episode = Episode(*picked)
        return self._prompt(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Run the cell of the reply, or judge its answer."""
        text = self._check_text(action)
        episode: Episode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        reply = read_reply(text)
        episode.turn += 1
        extra: dict[str, Any] = {"void_turn": False}
        right = False
        if reply.answer is not None:
            right = is_right(reply.answer, episode.puzzle.solve())
            observation = extra["feedback"] = "Correct." if right else "That is not the answer."
        elif reply.cell is not None:
            observation, unavailable = self._run(reply.cell)
            extra |= {"unavailable": True} if unavailable else {}
        else:
            observation = extra["feedback"] = _VOID
            extra["void_turn"] = True
        terminated = reply.answer is not None
        truncated = not terminated and (episode.turn >= self.max_turns or "unavailable" in extra)
        episode.over = terminated or truncated
        episode.transcript += [text[:2000], observation]
        info = self._info() | extra | {"success": right}
        if episode.over:
            info["answer"] = episode.puzzle.solve()
            if "unavailable" not in extra:
                info |= {"score": float(right), "correct": right}
            self.close()
        return observation, float(right), terminated, truncated, info

    def oracle_action(self) -> str:
        """The expert: look at the files where that is needed, compute, say what came out."""
        episode: Episode = self._running()
        program = episode.puzzle.program()
        cell, output = episode.last
        left = self.max_turns - episode.turn
        if cell == program and output:
            return f"<answer>{output.splitlines()[-1]}</answer>"
        if left < 2:
            return self.answer_action()
        look = self._look()
        unseen = episode.puzzle.hidden and episode.cells == 0
        return f"```python\n{look if unseen and left > 2 else program}\n```"

    def answer_action(self) -> str:
        """The right answer at once, without a cell: for checks of the scoring."""
        return f"<answer>{self._running().puzzle.solve()}</answer>"

    def random_action(self, rng: np.random.Generator) -> str:
        """A random number, pair or name; half of the time after a look at the files."""
        episode: Episode = self._running()
        if episode.turn == 0 and rng.random() < 0.5:
            return f"<python>{self._look()}</python>"
        number = int(10 ** rng.uniform(0, 5))
        first, second, size = sample_names(rng, 2)[0], int(rng.integers(30)), int(rng.integers(30))
        guesses = (str(number), f"{second}, {size}", first)
        return f"<answer>{guesses[int(rng.integers(len(guesses)))]}</answer>"

    def render(self) -> str | None:
        """The question, the cells and what came back."""
        if self.render_mode is None or self._episode is None:
            return None
        return "\n\n".join([self._prompt(), *self._episode.transcript])

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; its cells run again when the next one does."""
        self.close()
        super().set_state(state)

    def close(self) -> None:
        """End the session; in an episode that goes on, the next cell opens another one."""
        if self._episode is not None and self._episode.notebook is not None:
            self._episode.notebook.close()

    def _run(self, cell: str) -> tuple[str, bool]:
        """Run a cell for the model: what comes back, and whether the sandbox failed."""
        episode: Episode = self._episode
        notebook = self._notebook()
        result = run_for_model(lambda: notebook.run(cell), MAX_CHARACTERS)
        episode.cells += 1
        observation = plain(result.text)
        episode.last = (cell, observation if result.ok else "")
        return observation, result.unavailable

    def _notebook(self) -> Notebook:
        """The notebook of this episode, made at the first cell."""
        episode: Episode = self._episode
        if episode.notebook is None:
            sandbox, files = shared_sandbox(LEVEL), dict(episode.puzzle.files())
            episode.notebook = Notebook(sandbox, 0, LIMITS, files, EPISODE_CPU_S)
        return episode.notebook

    def _look(self) -> str:
        return _LOOK.format(names=list(self._episode.puzzle.files()))

    def _prompt(self) -> str:
        puzzle = self._episode.puzzle
        shown = "" if puzzle.hidden else _beginnings(puzzle)
        names = ", ".join(puzzle.files())
        return _PROMPT.format(
            names=names, turns=self.max_turns, shown=shown, question=puzzle.question
        )

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        return {
            "difficulty": episode.difficulty,
            "category": episode.puzzle.category,
            "split": self._side(episode.puzzle),
            "turn": episode.turn,
            "tool_calls": episode.cells,
            "sandbox": LEVEL,
        }

    def _sample(self, difficulty: float) -> Puzzle:
        return sample_puzzle(self.np_random, difficulty)

    def _sample_of(self, difficulty: float, category: str | None) -> Puzzle:
        return sample_puzzle(self.np_random, difficulty, category)

    def _category_of(self, puzzle: Puzzle) -> str:
        return puzzle.category

    def _canonical(self, puzzle: Puzzle) -> str:
        return puzzle.question  # so that no question is on both sides

    def _is_sound(self, puzzle: Puzzle) -> bool:
        return puzzle.is_sound()


def _beginnings(puzzle: Puzzle) -> str:
    """How each file begins."""
    parts = []
    for name, text in puzzle.files().items():
        lines = "\n".join(text.split("\n", SHOWN_LINES)[:SHOWN_LINES])
        parts.append(f"{name} begins:\n{lines[:SHOWN_CHARACTERS]}\n...\n\n")
    return "".join(parts)
