"""An environment of the verifiers library as a text task; its rubric gives the reward.

The library's environments are code of others: a limit of time holds for each step, and what they
raise ends an episode and no training run. They run in this process, without a sandbox.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.core import TextEnv
from zerogym.envs.reasoning.bridges.programs import Program, ProgramFailed, Turn
from zerogym.envs.reasoning.bridges.verifiers_runs import Outcome, rollouts_of
from zerogym.errors import NoSnapshot

START_SECONDS = 30.0
STEP_SECONDS = 30.0
MAX_REPLY = 20_000  # characters; a longer reply is not passed on and is a fault


@dataclass
class Rollout:
    """A rollout in progress, as far as it is known here."""

    said: str
    turn: int = 0
    over: bool = False


class VerifiersEnv(TextEnv):
    """An environment of the verifiers library, its rubric behind our contracts.

    Description:
        Single-turn and multi-turn environments: those with a data set, a rollout and a rubric
        (tried with 0.1.14), and task sets and environments of `verifiers.v1` with one agent
        (tried with 0.4.0). Tools, containers and programs of agents are not played, and a task
        that needs them is refused in one line; a task set without end has its first 10,000 tasks.
        An environment is given as an object, or by its id, whose module must have been imported: an
        id in a file imports nothing.

    Observation:
        The messages that are new since the last reply, first system prompt and prompt: their texts
        with empty lines between, at most 65,536 characters.

    Action:
        The reply as text. More than 20,000 characters are not passed on and end the episode.

    Reward:
        At the end the weighted sum of the rubric, or of the task's rewards, cut to [0, 1];
        `info["metrics"]` has the parts. Several rollouts of the agent in an episode: their mean.
        0 where the environment raises or is too slow, which also ends the episode
        (`info["env_fault"]`).

    Episode end:
        By the environment, or after `max_turns` without a score.

    Arguments:
        env: The environment or task set, or its id.
        settings: Arguments of the environment of that id, or of its task set (JSON values).
        max_turns: Most replies in an episode.
        step_seconds: Most seconds for the answer to a reply, scores included.
        render_mode: None or `ansi`.

    Example:
        `import wordle`, then `zerogym.make("Verifiers", env="wordle")`, if that is installed.

    Source:
        Brown, "Verifiers: Environments for LLM Reinforcement Learning" (2025,
        github.com/PrimeIntellect-ai/verifiers).
    """

    max_observation = 65_536
    waits = True  # for the environment's thread

    def __init__(
        self,
        env: Any,
        settings: dict[str, Any] | None = None,
        max_turns: int = 100,
        step_seconds: float = STEP_SECONDS,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if max_turns < 1 or not step_seconds > 0:
            raise ValueError("max_turns must be at least 1, step_seconds above 0")
        self.max_turns, self.step_seconds = max_turns, step_seconds
        self.rollouts = rollouts_of(env, settings or {})
        self._program = Program()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a rollout of a row that is drawn, or of `options["index"]`.

        Raises:
            ValueError: If there is no row of that index.
            RuntimeError: If the environment says nothing before the first reply.
        """
        super().reset(seed=seed)
        index = self._reset_options(options, ("index",)).get("index")
        count = self.rollouts.count
        if index is None:
            index = int(self.np_random.integers(count))
        elif not (isinstance(index, int | np.integer) and 0 <= index < count):
            raise ValueError(f"index is a whole number from 0 to {count - 1}, got {index!r:.80}")
        index, self._episode = int(index), None
        try:
            turn = self._program.start(lambda request: self._run(index, request), START_SECONDS)
            if turn.reply is None:
                raise ProgramFailed("it ends before the first reply")
        except ProgramFailed as fault:
            raise RuntimeError(f"{self.name}: row {index} starts no episode: {fault}") from None
        self._episode = Rollout(self._text(turn.said))
        return self._episode.said, {"turn": 0, "void_turn": False, "index": index}

    async def _run(self, index: int, request: Any) -> Outcome:
        return await self.rollouts.run(index, request)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Pass the reply to the environment."""
        reply = self._check_text(action)
        episode: Rollout = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        episode.turn += 1
        info: dict[str, Any] = {"turn": episode.turn, "void_turn": False}
        done, reward = True, 0.0
        if len(reply) > MAX_REPLY:
            info["void_turn"], episode.said = True, "The reply is too long."
            self._program.cancel()
        else:
            try:
                turn = self._program.reply(_valid(reply), self.step_seconds)
                done, reward = turn.reply is None, self._taken(turn, info)
            except ProgramFailed as fault:
                info["env_fault"], episode.said = str(fault), f"The environment failed: {fault}"
        cut = not done and episode.turn >= self.max_turns
        episode.over = done or cut
        if cut:
            self._program.cancel()
        if episode.over:
            info |= {"score": reward, "correct": reward == 1.0, "success": reward == 1.0}
        return episode.said, reward, done, cut, info

    def _taken(self, turn: Turn, info: dict[str, Any]) -> float:
        """Take what the environment said; return the reward."""
        if turn.reply is not None:
            self._episode.said = self._text(turn.said)
            return 0.0
        end: Outcome = turn.result
        try:
            reward = float(end.reward)
            info["metrics"] = {str(name): float(value) for name, value in end.metrics.items()}
        except (TypeError, ValueError, OverflowError):
            raise ProgramFailed(f"its reward is no number: {end.reward!r:.60}") from None
        self._episode.said = self._text(end.said)
        return 0.0 if math.isnan(reward) else min(1.0, max(0.0, reward))

    def get_state(self) -> dict[str, Any]:
        """Refuse, as the episode is the library's.

        Raises:
            NoSnapshot: Always.
        """
        raise NoSnapshot(f"{self.name}: a program plays the episode, which has no snapshots")

    def __getstate__(self) -> dict[str, Any]:
        """Refuse, as the library's environment and its thread are of this process.

        Raises:
            NoSnapshot: Always.
        """
        return self.get_state()

    def random_action(self, rng: np.random.Generator) -> str:
        """Return a small number, bare or boxed."""
        return ("{}", "\\boxed{{{}}}")[int(rng.integers(2))].format(int(rng.integers(10)))

    def render(self) -> str | None:
        """Return what the environment has said last."""
        return None if self.render_mode is None or self._episode is None else self._episode.said

    def close(self) -> None:
        """End the rollout and its thread."""
        self._program.close()

    def _text(self, said: str) -> str:
        return _valid(said)[: self.max_observation]


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
