"""Collect reward-free data into a folder, shard by shard.

Random generators are seeded for each shard and each episode, from the seed and its number; a shard
ends with an episode. So a run that is interrupted anywhere, even killed, resumes from its last
finished shard, and the folder gets the same bytes as that of an uninterrupted run (on a CPU).
Learners sample from all transitions of the run, which stay in memory. Left out: adding to a
finished dataset, parallel environments.

After "Don't Change the Algorithm, Change the Data: Exploratory Data for Offline Reinforcement
Learning" (2022, arXiv 2201.13425).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from zerogym.agents.datasets.dataset import check_spaces, cost_of
from zerogym.agents.datasets.environments import make_env, task_names
from zerogym.agents.datasets.stored import append_shard
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.registry import make_explorer
from zerogym.agents.explore.players import (
    ExploringPlayer,
    OraclePlayer,
    Player,
    RandomPlayer,
    TaskPlayer,
)
from zerogym.agents.explore.policies import CollectingPolicy, IntrinsicReward
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.agents.explore.run import (
    Progress,
    Run,
    checkpoint,
    lock_folder,
    save_checkpoint,
    save_manifest,
)
from zerogym.agents.explore.teachers import ExpertPlayer
from zerogym.agents.run_lock import locked
from zerogym.errors import NoOracle

_EPISODES, _SHARDS = 0, 1  # two families of seeds
_DRAWS = 100  # tasks drawn before giving up on the oracle
REPORT_EVERY = 50  # transitions between calls of on_progress


def collect(
    config: CollectConfig,
    out_dir: Path | str,
    on_progress: Callable[[Progress], object] | None = None,
) -> Path:
    """Collect a dataset; resume if `out_dir` holds the start of the same one.

    Args:
        config: Settings.
        out_dir: The folder; made if it does not exist.
        on_progress: Called every `REPORT_EVERY` transitions and after each shard.

    Returns:
        The folder, for `load_dataset`.

    Raises:
        ValueError: If the folder holds other data, or the environment does not fit.
        FolderInUse: If another process writes into the folder.
        NotADataset: If a file of an earlier shard is damaged.
    """
    folder = Path(out_dir)
    worlds = [make_env(config.env, kwargs) for kwargs in config.worlds]
    before = torch.get_num_threads()
    torch.set_num_threads(config.threads)
    try:
        _check_worlds(worlds, config)
        report = on_progress or (lambda progress: None)
        players = [_player(part, worlds[0], config, folder, report) for part in config.players]
        run = Run(config, folder, worlds, players, ReplayBuffer(config.steps), report)
        with locked(folder):
            lock_folder(run)
            while len(run.buffer) < config.steps:
                _collect_shard(run)
    finally:
        torch.set_num_threads(before)
        for env in worlds:
            env.close()
    return folder


def _check_worlds(worlds: list[gym.Env[Any, Any]], config: CollectConfig) -> None:
    """Raise unless all variants have the same spaces, and for oracles the same tasks."""
    has_oracle = any(part.graded for part in config.players)
    for env, variant in zip(worlds, config.variants or ({},), strict=True):
        check_spaces(env)
        alike = [env.observation_space.shape, env.action_space]
        if alike != (first := [worlds[0].observation_space.shape, worlds[0].action_space]):
            raise ValueError(f"variant {dict(variant)} has other spaces: {alike}, not {first}")
        if has_oracle and task_names(env) != task_names(worlds[0]):
            raise ValueError(
                f"variant {dict(variant)} has other tasks: an oracle cannot take turns"
            )


def _player(
    part: CollectingPolicy,
    env: gym.Env[Any, Any],
    config: CollectConfig,
    folder: Path,
    report: Callable[[Progress], object],
) -> Player:
    if isinstance(part, IntrinsicReward):
        return ExploringPlayer(env, make_explorer(part, env, config))
    if not part.graded:
        return RandomPlayer(env, config.hold)
    name = part.title()
    if getattr(env.unwrapped, "has_oracle", True):
        return OraclePlayer(env, name, config)
    return ExpertPlayer(env, name, config, folder, report)


def _collect_shard(run: Run) -> None:
    first = len(run.buffer)
    rng = np.random.default_rng([run.config.seed, _SHARDS, len(run.shards)])
    for explorer in run.explorers.values():
        explorer.begin_shard(int(rng.integers(2**62)))
    end = min(run.config.steps, first + run.config.shard_steps)
    while len(run.buffer) < end:
        _play_episode(run, rng)
    append_shard(run.folder, run.shards, run.buffer.since(first))
    save_checkpoint(run)
    save_manifest(run)  # from now on the shard counts
    for stale in run.folder.glob("checkpoint-*.safetensors"):
        if stale.name != checkpoint(run).name or len(run.buffer) == run.config.steps:
            stale.unlink()
    run.report(Progress(len(run.buffer), run.config.steps, run.metrics))


def _play_episode(run: Run, rng: np.random.Generator) -> None:
    who = run.episodes % len(run.players)
    player, buffer = run.players[who], run.buffer
    variant = run.episodes // len(run.players) % len(run.worlds)
    env = run.worlds[variant]
    obs = _begin_episode(run, player, env, rng)
    run.episodes += 1
    age, over = 0, False
    while not over and len(buffer) < run.config.steps:
        action = player.act(obs, age, len(buffer), rng)
        extras = _extras(run, player, env, who, variant)
        following, _, terminated, truncated, info = env.step(action)
        # The first step of the data decides: all rows have the same columns.
        if "costs" in buffer.columns or (len(buffer) == 0 and "cost" in info):
            extras["costs"] = cost_of(info)
        buffer.append(
            observations=np.asarray(obs, np.float32),
            actions=np.asarray(action, env.action_space.dtype),
            next_observations=np.asarray(following, np.float32),
            terminated=np.bool_(terminated),
            truncated=np.bool_(truncated),
            starts=np.bool_(age == 0),
            **extras,
        )
        obs, age, over = following, age + 1, bool(terminated or truncated)
        _learn(run, rng)


def _begin_episode(
    run: Run, player: Player, env: gym.Env[Any, Any], rng: np.random.Generator
) -> Any:
    """Return the first observation; tasks that the oracle cannot solve are drawn again."""
    seeds = np.random.SeedSequence([run.config.seed, _EPISODES, run.episodes])
    seed = int(seeds.generate_state(1)[0])
    for _ in range(_DRAWS):
        options = {**run.config.reset_options, **player.begin(env, rng)}
        obs, _ = env.reset(seed=seed, options=options)
        if player.can_act():
            return obs
    raise NoOracle(
        f"{env}: the oracle solves none of {_DRAWS} drawn tasks; choose --tasks it solves"
    )


def _learn(run: Run, rng: np.random.Generator) -> None:
    metrics: dict[str, Any] = {}
    for player in run.players:
        metrics |= player.learn(run.buffer, rng)
    if len(run.buffer) % REPORT_EVERY == 0:
        if metrics:
            run.metrics = {name: float(value) for name, value in metrics.items()}
        for name, value in run.metrics.items():
            if not np.isfinite(value):
                raise FloatingPointError(
                    f"{name} is {value} after {len(run.buffer)} steps: training has diverged; "
                    "lower lr"
                )
        run.report(Progress(len(run.buffer), run.config.steps, run.metrics))


def _extras(
    run: Run, player: Player, env: gym.Env[Any, Any], who: int, variant: int
) -> dict[str, Any]:
    """Return the columns that only some runs have; `qpos` and `qvel` of simulators."""
    found: dict[str, Any] = {}
    if len(player.skill):
        found["skills"] = player.skill
    if any(isinstance(each, TaskPlayer) for each in run.players):
        found["tasks"] = np.int16(player.task)
    if len(run.players) > 1:
        found["players"] = np.uint8(who)
    if len(run.worlds) > 1:
        found["variants"] = np.uint8(variant)
    data = getattr(env.unwrapped, "data", None)
    if hasattr(data, "qpos"):
        found |= {name: np.array(getattr(data, name), np.float64) for name in ("qpos", "qvel")}
    return found
