"""Simple rules that a learner should beat: environments offer them as methods."""

from typing import Any

import gymnasium as gym

from zerogym.agents.baselines.random_and_oracle import EnvPolicy


class StraightLinePolicy(EnvPolicy):
    """Goes straight for the goal and ignores walls; each environment has `straight_line_action`.

    A maze proves nothing about planning unless this policy fails in it.
    """

    def _act(self, env: gym.Env[Any, Any]) -> Any:
        return env.get_wrapper_attr("straight_line_action")(self._rng)


class ShortPlanPolicy(EnvPolicy):
    """Makes the calls of the expert's plan but the last one, then answers `unknown`.

    For worlds with tools: a score near the expert's means that its last call was of no use.
    """

    def _act(self, env: gym.Env[Any, Any]) -> Any:
        return env.get_wrapper_attr("short_plan_action")()
