"""Notebook: answer questions by computing over files, in a notebook that keeps its variables.

Left out: packages beyond the standard library, plots, and files that the model hands back.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.tools.calls.showing import plain
from zerogym.envs.tools.interpreters.execution import MAX_CHARACTERS, run_for_model, shared_sandbox
from zerogym.envs.tools.notebook.puzzle import Puzzle, is_right, sample_names
from zerogym.envs.tools.notebook.reply import read_reply
from zerogym.envs.tools.notebook.sample import SAMPLERS, sample_puzzle
from zerogym.envs.tools.problem_env import ToolEpisode, ToolProblemEnv, Turn
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
class Episode(ToolEpisode):
    """The state of an episode.

    Attributes:
        notebook: The cells that ran; None before the first.
        last: The last cell and its output; no output if it failed.
    """

    notebook: Notebook | None = None
    last: tuple[str, str] = ("", "")


class NotebookEnv(ToolProblemEnv[Puzzle]):
    """Look at generated files, compute over them in a notebook, answer.

    Description:
        Files (CSV tables, a log, nested JSON, a graph, a text, a list of numbers, periods of days,
        instructions to carry out) and a question with one exact answer are drawn from the seed:
        too much for mental arithmetic, and nothing to memorise. Cells run in the sandbox, in one
        session for each episode, which starts with the first cell. From difficulty 1 on the prompt
        only names the files, and each has one of several layouts: they must be looked at first.

    Observation:
        First the question; then the result of the cell: its output, the value of its last
        expression, its traceback, or the reason why it was stopped, with the middle cut out above
        4,000 characters.

    Action:
        The reply as text. The last fenced block of Python or `<python>...</python>` runs as a cell;
        an `<answer>...</answer>` or a box behind it ends the episode. A reply with neither is a
        void turn.

    Reward:
        1 if the answer is the right one (the same number, or the same words in order), else 0.

    Episode end:
        At an answer; truncated without reward after `max_turns` replies. If the sandbox fails twice
        in a row, truncated with `info["unavailable"]` and no score.
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
    episode_class = Episode
    default_turns = 8
    waits = True
    categories: ClassVar[tuple[str, ...]] = tuple(SAMPLERS)

    def oracle_action(self) -> str:
        """Look at the files if their layout is hidden, run the program, answer its output."""
        episode: Episode = self._running()
        program = episode.problem.program()
        cell, output = episode.last
        left = self.max_turns - episode.turn
        if cell == program and output:
            return f"<answer>{output.splitlines()[-1]}</answer>"
        if left < 2:
            return self.answer_action()
        look = episode.problem.hidden and episode.calls == 0 and left > 2
        return f"```python\n{self._look() if look else program}\n```"

    def answer_action(self) -> str:
        """The right answer at once, without a cell: for checks of the scoring."""
        return f"<answer>{self._running().problem.solve()}</answer>"

    def random_action(self, rng: np.random.Generator) -> str:
        """A random number, pair or name; half of the time after a look at the files."""
        if self._running().turn == 0 and rng.random() < 0.5:
            return f"<python>{self._look()}</python>"
        number = int(10 ** rng.uniform(0, 5))
        first, second, size = sample_names(rng, 2)[0], int(rng.integers(30)), int(rng.integers(30))
        guesses = (str(number), f"{second}, {size}", first)
        return f"<answer>{guesses[int(rng.integers(len(guesses)))]}</answer>"

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a snapshot; its cells run again with the next one."""
        self.close()
        super().set_state(state)

    def close(self) -> None:
        """End the session; in an episode that goes on, the next cell opens another one."""
        if self._episode is not None and self._episode.notebook is not None:
            self._episode.notebook.close()

    def _play(self, reply: str) -> Turn:
        episode: Episode = self._episode
        parsed = read_reply(reply)
        if parsed.answer is not None:
            right = is_right(parsed.answer, episode.problem.solve())
            feedback = "Correct." if right else "That is not the answer."
            info = {"void_turn": False, "feedback": feedback}
            return Turn(reply, feedback, float(right), info)
        if parsed.cell is None:
            return Turn(reply, _VOID, None, {"void_turn": True, "feedback": _VOID})
        if episode.notebook is None:
            sandbox, files = shared_sandbox(LEVEL), dict(episode.problem.files())
            episode.notebook = Notebook(sandbox, 0, LIMITS, files, EPISODE_CPU_S)
        notebook, cell = episode.notebook, parsed.cell
        result = run_for_model(lambda: notebook.run(cell), MAX_CHARACTERS)
        episode.calls += 1
        episode.failed += not result.ok
        observation = plain(result.text)
        episode.last = (cell, observation if result.ok else "")
        return Turn(reply, observation, None, {"void_turn": False}, result.unavailable)

    def _look(self) -> str:
        return _LOOK.format(names=list(self._episode.problem.files()))

    def _prompt(self) -> str:
        puzzle: Puzzle = self._episode.problem
        shown = ""
        for name, text in ({} if puzzle.hidden else puzzle.files()).items():
            lines = "\n".join(text.split("\n", SHOWN_LINES)[:SHOWN_LINES])
            shown += f"{name} begins:\n{lines[:SHOWN_CHARACTERS]}\n...\n\n"
        names = ", ".join(puzzle.files())
        return _PROMPT.format(
            names=names, turns=self.max_turns, shown=shown, question=puzzle.question
        )

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"sandbox": LEVEL}

    def _answer(self, puzzle: Puzzle) -> str:
        return puzzle.solve()

    def _sample(self, difficulty: float) -> Puzzle:
        return sample_puzzle(self.np_random, difficulty)

    def _sample_of(self, difficulty: float, category: str | None) -> Puzzle:
        return sample_puzzle(self.np_random, difficulty, category)

    def _is_sound(self, puzzle: Puzzle) -> bool:
        return puzzle.is_sound()
