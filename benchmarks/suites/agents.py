"""Builders of the agents' policies; learners are trained here, once a run.

A builder gets the world and the cache of models, and returns a function from a batch of
environments and a variant to a policy. Models in memory are shared by the cells of a run; trained
ones are kept in the cache's folder where their format needs no pickle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import gymnasium as gym

from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.baselines.sb3 import SB3Config, SB3Policy, train_sb3
from zerogym.agents.baselines.scripted import ShortPlanPolicy, StraightLinePolicy
from zerogym.agents.core import Policy
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.benchmarks.results.schema import Curve, ModelCache, PolicyMaker, Variant, World
from zerogym.benchmarks.suites.scores import short
from zerogym.envs.games.solvers.oracle import equilibrium
from zerogym.errors import require

CURVE_POINTS = 200
FB_SCORES = 8  # evaluations on the tasks of its map while it is trained
TITLES = {"dqn": "DQN", "ppo": "PPO", "maskable_ppo": "MaskablePPO"}


def random(world: World, cache: ModelCache) -> PolicyMaker:
    """Well-formed actions without knowledge."""
    return lambda envs, variant: RandomPolicy(envs, cache.seed)


def oracle(world: World, cache: ModelCache) -> PolicyMaker:
    """The oracle of each world."""
    return lambda envs, variant: OraclePolicy(envs)


def short_plan(world: World, cache: ModelCache) -> PolicyMaker:
    """The expert of a world with tools that stops one call too early."""
    return lambda envs, variant: ShortPlanPolicy(envs)


def rule(world: World, cache: ModelCache) -> PolicyMaker:
    """A rule of thumb: equilibrium play in games, the straight line in mazes."""
    if world.family != "games":
        return lambda envs, variant: StraightLinePolicy(envs, cache.seed)
    # Drawn moves: an equilibrium of a game with hidden cards mixes.
    return lambda envs, variant: equilibrium(_view(envs).game)


def language_model(world: World, cache: ModelCache, name: str) -> PolicyMaker:
    """A language model by name or directory, greedy."""
    from zerogym.agents.llm.generation.engines import load_generator
    from zerogym.agents.llm.generation.protocol import Sampling
    from zerogym.agents.llm.policy import LLMPolicy

    if name not in cache.made:
        cache.made[name] = load_generator(name)
    generator = cache.made[name]
    sampling = Sampling(world.reply_tokens, stop=world.stop, seed=cache.seed)
    return lambda envs, variant: LLMPolicy(generator, sampling)


def reinforced(world: World, cache: ModelCache, config: GRPOConfig) -> PolicyMaker:
    """The tiny model after GRPO on one world's train side, once a run."""
    from zerogym.agents.llm.models.loading import require_llm

    require_llm("GRPO")
    from zerogym.agents.llm.training.grpo import train

    folder = cache.directory / "grpo"
    if not (folder / "model").is_dir():
        points: list[tuple[float, float]] = []

        def record(metrics: Mapping[str, float]) -> None:
            if "rollout/reward" in metrics:
                points.append((metrics["step"], metrics["rollout/reward"]))

        cache.report(f"GRPO: {config.steps} steps in {config.env}")
        settings = replace(config, seed=cache.seed, out=str(folder))
        if train(settings, record, resume=True).status == "interrupted":
            raise KeyboardInterrupt
        keep_curve(cache, f"GRPO, {short(config.env)}", "steps", "mean reward", points)
    return language_model(world, cache, str(folder / "model"))


def zero_shot(world: World, cache: ModelCache) -> PolicyMaker:
    """Forward-backward: pre-trained once a map without reward, then prompted with each task."""
    require("torch", "control", "the zero-shot agent")
    from zerogym.agents.json_lines import read_rows
    from zerogym.agents.zero_shot.config import preset
    from zerogym.agents.zero_shot.models.model import FBModel
    from zerogym.agents.zero_shot.models.policy import FixedTask
    from zerogym.agents.zero_shot.training.run import LOG_FILE
    from zerogym.agents.zero_shot.training.train import train

    name = f"fb {world.env_id}"
    if name not in cache.made:
        config = preset(world.env_id, seed=cache.seed)
        config = replace(config, evaluate_every=max(1, config.updates // FB_SCORES))
        folder = cache.directory / "fb" / short(world.env_id)
        cache.report(f"FB: {config.updates} updates in {world.env_id}, without reward")
        path = train(config, folder).path
        scores = [
            (row["update"], row["evaluation/score"])
            for row in read_rows(folder / LOG_FILE)
            if "evaluation/score" in row
        ]
        # Kept without points, too: the report then says that there were no evaluations.
        label = "mean score of its tasks (0 random, 1 optimal)"
        cache.keep_curve(Curve(f"FB, {short(world.env_id)}", "updates", label, tuple(scores)))
        cache.made[name] = FBModel.load(path)
    model = cache.made[name]

    def make(envs: Sequence[gym.Env[Any, Any]], variant: Variant) -> Policy:
        return FixedTask(model, model.infer(_view(envs).tasks[variant.kwargs["task"]]))

    return make


def from_scratch(world: World, cache: ModelCache, settings: Mapping[str, SB3Config]) -> PolicyMaker:
    """Stable-Baselines3, trained on a world's first variant only, or on each for games."""
    config = replace(settings[world.env_id], seed=cache.seed)
    each = world.family == "games"

    def make(envs: Sequence[gym.Env[Any, Any]], variant: Variant) -> Policy:
        training_task = variant if each else world.training_task or world.variants[0]
        name = f"{TITLES[config.algorithm]}, {short(world.env_id)}, {training_task.name}"
        if name not in cache.made:
            cache.made[name] = _train_from_scratch(world, training_task, config, cache, name)
        return SB3Policy(cache.made[name], envs)

    return make


def _train_from_scratch(
    world: World, training_task: Variant, config: SB3Config, cache: ModelCache, name: str
) -> Any:
    view = {"view": "numeric"} if world.two_views else {}
    kwargs = {**world.kwargs, **training_task.kwargs, **view}
    points: list[tuple[float, float]] = []
    cache.report(f"{name}: {config.steps} steps")
    model = train_sb3(
        config,
        lambda: gym.make(world.env_id, disable_env_checker=True, **kwargs),
        lambda steps, value: points.append((steps, value)),
    )
    keep_curve(cache, name, "environment steps", "mean return of 100 episodes", points)
    return model


def keep_curve(
    cache: ModelCache, name: str, x: str, y: str, points: Sequence[tuple[float, float]]
) -> None:
    """Record a learning curve, thinned to `CURVE_POINTS` points."""
    stride = max(1, len(points) // CURVE_POINTS)
    if points:
        cache.keep_curve(Curve(name, x, y, tuple(points[::stride])))


def _view(envs: Sequence[gym.Env[Any, Any]]) -> Any:
    return envs[0].unwrapped
