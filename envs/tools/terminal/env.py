"""Terminal: jobs of several steps in a folder, with a check of every file that they name.

Left out: programs that stay, networks, packages to install, and jobs that need a screen.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from zerogym.envs.tools.folder.bash import FolderState
from zerogym.envs.tools.folder.world import FolderWorld
from zerogym.envs.tools.terminal.data_jobs import sample_database, sample_table
from zerogym.envs.tools.terminal.file_jobs import sample_archive, sample_files, sample_logs
from zerogym.envs.tools.terminal.job import Job
from zerogym.envs.tools.world import Judgement

JOBS: Mapping[str, Callable[[np.random.Generator, int], Job]] = {
    "files": sample_files,
    "archive": sample_archive,
    "logs": sample_logs,
    "table": sample_table,
    "database": sample_database,
}
BEGIN = 4  # lines that the prompt shows of a table or a log
_PROMPT = """\
Do a job with bash in a folder. It holds:
{files}
The job:
{question}
When all is done, answer <answer>done</answer>. Files that the job does not name may stay."""


class TerminalEnv(FolderWorld[Job]):
    """Do a job of several steps in a folder: files, archives, logs, tables, a database.

    Description:
        Files and job are drawn from the seed. Scripts run with the system's own tools in the
        sandbox, each in a process of its own; the files go from script to script. A database needs
        `python3` or `sqlite3` among the system's programs.

    Observation:
        First the files, with the first lines of tables and logs, and the steps; then what each
        script printed, with the middle cut out above 4,000 characters.

    Action:
        The reply as text: calls of `bash`, or the answer, whose text does not matter.

    Reward:
        At the answer: 1 if every check of the end holds (files with exact contents, files that are
        gone, contents of archives and of compressed files, rows of the database), else 0.
        `info["checks_passed"]` is the share of checks that hold. A database is read in the sandbox.

    Episode end:
        At the answer; truncated without reward after `max_turns` replies, and with
        `info["unavailable"]` if the sandbox fails twice in a row. A machine that cannot hold the
        sandbox raises `SandboxUnavailable` at the first script.

    Difficulty:
        About `6 + 6 * difficulty` files, lines or rows (at most 60); the steps are three.

    Arguments:
        `difficulty` (default 1), `split`, `category` (files, archive, logs, table, database),
        `max_turns` (default 18), `max_calls` (default 16), `call_cost`, `format`, `render_mode`;
        `level` of the sandbox (`strong` or `landlock`). Limits are those of `Shell`.

    Example:
        >>> env = TerminalEnv(difficulty=0, category="logs")
        >>> prompt, info = env.reset(seed=0)
        >>> print(prompt[prompt.index("3.") :].splitlines()[0])
        3. Compress every .log file with gzip to a file with .gz added to its name, ...
        >>> print(env.oracle_action())
        <bash>cat *.log | grep ' ERROR ' | sort > errors.txt</bash>

    Source:
        Our task: jobs in a terminal that are judged by the state in which they end, in the manner
        of Terminal-Bench. Its jobs are written by people and run in Docker; ours are generated.
    """

    problem_class = Job
    categories: ClassVar[tuple[str, ...]] = tuple(JOBS)

    def random_action(self, rng: np.random.Generator) -> str:
        """One of the three scripts of the job, whichever, then the answer."""
        episode = self._running()
        if episode.calls:
            return self.answer_action()
        scripts = episode.problem.scripts
        script = scripts[int(rng.integers(len(scripts)))]
        return self.format.write(self._tools()["bash"], {"script": script})

    @classmethod
    def canonical_key(cls, problem: Job) -> str:
        """Return the steps and the files."""
        return problem.key()

    def _files(self, problem: Job) -> Mapping[str, str | bytes]:
        return problem.files

    def _scripts(self, problem: Job) -> Sequence[str]:
        return problem.scripts

    def _judge(self, problem: Job, state: FolderState, answer: str) -> Judgement:
        held = [check.holds(state.folder, self.level) for check in problem.checks]
        wrong = [check.path for check, fine in zip(problem.checks, held, strict=True) if not fine]
        feedback = f"Not as the job says: {', '.join(wrong[:5])}." if wrong else ""
        return Judgement(float(not wrong), feedback, {"checks_passed": sum(held) / len(held)})

    def _task(self, problem: Job) -> str:
        files = "\n".join(_shown(path, content) for path, content in problem.files.items())
        return _PROMPT.format(files=files, question=problem.question)

    def _sample(self, difficulty: float) -> Job:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> Job:
        kind = category or self.categories[int(self.np_random.integers(len(self.categories)))]
        size = min(60, int(6 + 6 * min(difficulty, 10.0)))
        return JOBS[kind](self.np_random, size)

    def _is_sound(self, problem: Job) -> bool:
        """Return whether no text that has to be written is empty."""
        return all(check.value for check in problem.checks if check.kind == "text")


def _shown(path: str, content: str | bytes) -> str:
    """Return a line about a file; of tables and logs it has their first lines."""
    line = f"{path} ({len(content)} bytes)"
    if isinstance(content, bytes) or not path.endswith((".csv", ".log")) or not content:
        return line
    return f"{line}, begins: {' | '.join(content.splitlines()[:BEGIN])}"
