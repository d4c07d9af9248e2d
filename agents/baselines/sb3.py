"""Stable-Baselines3 models as policies, with the action masks of our environments passed through.

Their own file format holds pickles, so this module neither saves nor loads: load a model that you
trust with Stable-Baselines3 and wrap it in `SB3Policy`. Left out: image observations, recurrent
policies trained here (loaded ones work), vectorised environments in several processes.

Without this module, their learners take the control worlds as they are: a body, a pendulum whose
physics is drawn for each episode and observed, and a room.

```python
import gymnasium as gym
import zerogym
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from zerogym.agents.baselines.random_and_oracle import RandomPolicy
from zerogym.wrappers import ContextSampler, ContextVisibility

body = gym.make("zerogym/Cheetah-v0", task="run")
drawn = ContextSampler(gym.make("zerogym/Pendulum-v0", task="upright"), vary=["gravity", "mass"])
visible = ContextVisibility(drawn, ["gravity", "mass"])
room = gym.make("zerogym/MiniGrid-v0", task="mission", level="Empty-5x5")
for env, steps, settings in (
    (body, 16_000, {"n_steps": 1000, "batch_size": 100}),
    (visible, 20_000, {"gamma": 0.95}),
    (room, 10_000, {"n_steps": 512, "batch_size": 128, "ent_coef": 0.01}),
):
    model = PPO("MlpPolicy", env, 1e-3, seed=0, **settings)
    random, _ = evaluate_policy(RandomPolicy([env]), model.get_env(), n_eval_episodes=10)
    learned, _ = evaluate_policy(model.learn(steps), model.get_env(), n_eval_episodes=10)
    print(env.spec.id, f"{random:.2f} {learned:.2f}")
```
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.agents.field_comments import describe_fields
from zerogym.errors import UnknownName, require

# name -> module and class
ALGORITHMS = {
    "dqn": ("stable_baselines3", "DQN"),
    "ppo": ("stable_baselines3", "PPO"),
    "sac": ("stable_baselines3", "SAC"),
    "maskable_ppo": ("sb3_contrib", "MaskablePPO"),
}


@describe_fields
@dataclass(frozen=True)
class SB3Config:
    """Settings of a training run."""

    algorithm: str = "ppo"  # a key of ALGORITHMS
    steps: int = 50_000  # environment steps
    envs: int = 8  # environments stepped together
    seed: int = 0  # of networks, batches and environments
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the algorithm's constructor


class SB3Policy:
    """A Stable-Baselines3 model as a `Policy`.

    Args:
        model: Any of its models; those whose `predict` takes `action_masks` get them.
        envs: The environments of the batch, whose `action_masks()` are used; not needed by models
            without masks.
    """

    def __init__(self, model: Any, envs: Sequence[gym.Env[Any, Any]] = ()) -> None:
        self.model, self.envs = model, list(envs)
        takes_masks = "action_masks" in inspect.signature(model.predict).parameters
        self._masked = takes_masks and all(e.has_wrapper_attr("action_masks") for e in self.envs)

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """Actions for a batch of observations (B, ...)."""
        masks = {}
        if self._masked and self.envs:
            rows = [env.get_wrapper_attr("action_masks")() for env in self.envs]
            masks = {"action_masks": np.stack(rows)}  # (B, A)
        actions, state = self.model.predict(
            observations, state, episode_start, deterministic, **masks
        )
        return actions, state


def train_sb3(
    config: SB3Config,
    make_env: Callable[[], gym.Env[Any, Any]],
    on_progress: Callable[[int, float], object] | None = None,
) -> Any:
    """Train a model on one thread of the CPU and return it.

    Args:
        config: Settings.
        make_env: Makes one environment with array observations.
        on_progress: Called after each rollout with the environment steps so far and the mean
            return of the last 100 episodes; not before an episode has ended.

    Raises:
        UnknownName: If there is no such algorithm.
        MissingExtra: If Stable-Baselines3 is not installed.
    """
    model = make_sb3(config, make_env)
    from zerogym.agents.torch_threads import one_thread

    try:
        with one_thread():  # more of them only wait for each other in so small a network
            model.learn(config.steps, callback=_reporter(on_progress))
    finally:
        model.get_env().close()
    return model


def make_sb3(config: SB3Config, make_env: Callable[[], gym.Env[Any, Any]]) -> Any:
    """A model that has not learnt yet, on the CPU; see `train_sb3`."""
    if config.algorithm not in ALGORITHMS:
        raise UnknownName("algorithm", config.algorithm, list(ALGORITHMS))
    module, name = ALGORITHMS[config.algorithm]
    maker = getattr(require(module, "sb3", f"the {name} baseline"), name)
    vectors = require("stable_baselines3.common.env_util", "sb3", f"the {name} baseline")
    envs = vectors.make_vec_env(make_env, n_envs=config.envs, seed=config.seed)
    return maker("MlpPolicy", envs, seed=config.seed, device="cpu", **config.settings)


def _reporter(on_progress: Callable[[int, float], object] | None) -> Any:
    """A callback of theirs that calls one of ours."""
    callbacks = require("stable_baselines3.common.callbacks", "sb3", "progress of a baseline")

    class Reporter(callbacks.BaseCallback):  # type: ignore[name-defined]
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            returns = [episode["r"] for episode in self.model.ep_info_buffer]
            if on_progress is not None and returns:
                on_progress(self.num_timesteps, float(np.mean(returns)))

    return Reporter()
