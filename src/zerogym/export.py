"""Tasks for other trainers and harnesses: rows with prompts, and a function that scores replies.

    >>> from zerogym.export import rows, scorer
    >>> table = rows("ChainSum", 2, difficulty=0)
    >>> score = scorer("ChainSum", difficulty=0)
    >>> [score(row, f"<answer>{row['answer']}</answer>") for row in table]
    [1.0, 1.0]

A row is text and numbers only, so that it can be a line of JSON or of a `datasets.Dataset`. It
names its problem by the environment, its arguments and a seed; the scorer draws that problem once,
and keeps it for further replies. For tasks with one reply an episode; others are environments, and
their `adapters` are too.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from zerogym.envs.core import TaskEnv
from zerogym.envs.lookup import full_id
from zerogym.errors import ZerogymError, require

__all__ = ["OtherProblem", "Scorer", "SeveralReplies", "dataset", "rows", "scorer"]

KEPT = 4096  # problems that a scorer keeps, the ones used last: a batch is far smaller


class SeveralReplies(ZerogymError, ValueError):
    """A task goes on after a reply, so that a reply alone has no score."""


class OtherProblem(ZerogymError, ValueError):
    """A row is not of the scorer's task: other arguments, or another version, made it."""


def rows(env_id: str, n: int, seed: int = 0, **env_kwargs: Any) -> list[dict[str, Any]]:
    """Return problems as rows of text and numbers.

    Args:
        env_id: A text task with one reply an episode, in any spelling that `zerogym.make` takes.
        n: How many problems, >= 1; problem k is reset with `seed + k`. Where a task has few
            problems, some are the same.
        seed: Of the first problem.
        env_kwargs: Arguments of the environment, JSON values; `split="test"` for a held-out side.

    Returns:
        Rows with `prompt`, `seed`, `env_id`, `env_kwargs` (JSON text), `split` (None where the task
        has none), `category`, `difficulty`, and `answer`: the canonical answer, None on the test
        side.

    Raises:
        UnknownName, TypeError: If there is no such task, or it has no such argument.
        SeveralReplies: If episodes of the task have more than one reply.
        NoOracle: If the task has no canonical answer.
        ValueError: If `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}")
    env_id, text = full_id(env_id), json.dumps(env_kwargs)
    with _made(env_id, env_kwargs) as env:
        table = []
        for number in range(seed, seed + n):
            prompt, info = env.reset(seed=number)
            _check_text(env_id, prompt)
            *_, over, cut, last = env.step(env.oracle_action())
            if not (over or cut):
                raise _several(env_id)
            split = info.get("split")
            table.append(
                {
                    "prompt": prompt,
                    "seed": number,
                    "env_id": env_id,
                    "env_kwargs": text,
                    "split": split,
                    "category": info.get("category"),
                    "difficulty": info.get("difficulty"),
                    "answer": None if split == "test" else last.get("answer"),
                }
            )
    return table


def dataset(env_id: str, n: int, seed: int = 0, *, chat: bool = False, **env_kwargs: Any) -> Any:
    """Return problems as a `datasets.Dataset`, with the columns of `rows`.

    Args:
        env_id: As in `rows`, like `n`, `seed` and `env_kwargs`.
        n: How many problems.
        seed: Of the first problem.
        chat: Give the prompt as a conversation, `[{"role": "user", "content": ...}]`, to which
            trainers apply the model's chat template; else as text.
        env_kwargs: Arguments of the environment.

    Raises:
        MissingExtra: If `datasets` is not installed; else as `rows`.
    """
    datasets: Any = require("datasets", "datasets", "zerogym.export.dataset")
    table = rows(env_id, n, seed, **env_kwargs)
    if chat:
        table = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in table]
    return datasets.Dataset.from_list(table)


def scorer(env_id: str, **env_kwargs: Any) -> "Scorer":
    """Return the function that scores replies to rows of a task; arguments as in `rows`."""
    return Scorer(env_id, **env_kwargs)


class Scorer:
    """Scores replies to the rows of one task, by its own verifier.

    Any text is a legal reply and takes bounded time, a reply of 10 MB too.

    Args:
        env_id: As in `rows`.
        env_kwargs: As in `rows`: those of the rows.

    Raises:
        UnknownName, TypeError: If there is no such task, or it has no such argument.
    """

    def __init__(self, env_id: str, **env_kwargs: Any) -> None:
        self.env_id, self.env_kwargs = full_id(env_id), env_kwargs
        self._env = _made(self.env_id, env_kwargs)
        self._problems: OrderedDict[int, tuple[str, Any]] = OrderedDict()

    def __call__(self, row: Mapping[str, Any], reply: str) -> float:
        """Return the reward of a reply, the task's own: 1 for a right answer.

        Args:
            row: Of `rows` or `dataset`, or any mapping with its `prompt` and `seed`.
            reply: All that the model wrote.

        Raises:
            OtherProblem: If the seed gives another prompt than the row's.
            SeveralReplies: If the episode is not over after the reply.
            TypeError: If the reply is no text.
        """
        prompt = row["prompt"]
        shown = prompt if isinstance(prompt, str) else prompt[-1]["content"]
        self._begin(int(row["seed"]), shown)
        _, reward, over, cut, _ = self._env.step(reply)
        if not (over or cut):
            raise _several(self.env_id)
        return float(reward)

    def _begin(self, seed: int, shown: str) -> None:
        """Set the environment before its first step with this seed."""
        if seed in self._problems:
            self._problems.move_to_end(seed)
            own, state = self._problems[seed]
            self._env.set_state(state)
        else:
            own, _ = self._env.reset(seed=seed)
            _check_text(self.env_id, own)
            self._problems[seed] = own, self._env.get_state()
            if len(self._problems) > KEPT:
                self._problems.popitem(last=False)
        if own != shown:
            raise OtherProblem(
                f"seed {seed} of {self.env_id} with {json.dumps(self.env_kwargs)} is not the "
                f"problem of this row, which begins with {shown[:60]!r}"
            )


def _made(env_id: str, env_kwargs: Mapping[str, Any]) -> Any:
    """Make an environment that takes a state without a reset before."""
    json.dumps(env_kwargs)  # a TypeError before a row is made of it
    env = gym.make(env_id, disable_env_checker=True, **env_kwargs).unwrapped
    if not isinstance(env, TaskEnv):
        raise TypeError(
            f"{env_id} is no task with an oracle and snapshots (zerogym.envs.core.TaskEnv)"
        )
    return env


def _check_text(env_id: str, observation: object) -> None:
    if not isinstance(observation, str):
        kind = type(observation).__name__
        raise TypeError(f"{env_id} observes no text with these arguments but {kind}")


def _several(env_id: str) -> SeveralReplies:
    return SeveralReplies(
        f"{env_id} goes on after a reply, which alone has no score: play it as an environment"
    )
