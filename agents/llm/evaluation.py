"""Evaluation of a model or a policy in an environment: the function that the package exports.

A model is evaluated as training evaluates it (`rollout/evaluation.py`): greedily, on the test side.
"""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from zerogym.agents.core import Policy
from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.policy import LLMPolicy
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import Evaluation, held_out, outcome_of, summary_of
from zerogym.agents.llm.rollout.evaluation import evaluate as evaluate_players
from zerogym.agents.llm.rollout.rollout_env import ONLY_SEAT
from zerogym.agents.llm.rollout.runner import Player
from zerogym.envs.lookup import full_id

Played = Policy | Generator | str | os.PathLike[str]


def evaluate(
    policy: Played,
    env_id: str,
    episodes: int = 100,
    seed: int = 0,
    *,
    deterministic: bool = True,
    sampling: Sampling | None = None,
    **env_kwargs: Any,
) -> Evaluation:
    """Play episodes and return mean reward and accuracy with its 95 % interval.

    Problems are those of the test side where the environment has one, unless `env_kwargs` have a
    `split`. Of a game it is the single-seat view; `opponent` is one of its arguments.

    Args:
        policy: A model by name, folder or address, an engine of `load_generator`, or any policy
            that maps texts to texts by `predict`.
        env_id: A text environment, in any spelling that `zerogym.make` takes.
        episodes: How many; episode k is reset with `seed + k`.
        seed: Of the first episode, and of sampled replies.
        deterministic: Take the most likely token each time.
        sampling: How a model's replies are sampled; by default 64 tokens at most.
        env_kwargs: Arguments of the environment.

    Returns:
        The outcome; episodes in which a tool failed by itself are not among them.

    Raises:
        ModelNotFound, UnknownName: If there is no such model or task.
        NoText: If the environment observes no text with these arguments.
        TypeError: If `policy` is none, or has no use for `sampling`.
        ValueError: If there are no episodes, or none counts.

    Example:
        >>> from zerogym.agents.llm import evaluate
        >>> outcome = evaluate("tiny", "RandomCalculation", episodes=4, difficulty=0)
        >>> outcome.episodes, 0 <= outcome.low <= outcome.accuracy <= outcome.high <= 1
        (4, True)
    """
    if episodes < 1:
        raise ValueError(f"evaluate needs at least one episode, got {episodes!r}")
    env_id = full_id(env_id)
    kwargs = env_kwargs if "split" in env_kwargs else held_out(env_id, env_kwargs)
    seeds = range(seed, seed + episodes)
    with Environments(env_id, kwargs) as envs:
        if isinstance(policy, str | os.PathLike | Generator | LLMPolicy):
            player = _player(policy, sampling, seed)
            temperature = 0.0 if deterministic else player.sampling.temperature
            return evaluate_players({ONLY_SEAT: envs}, player, seeds, temperature)
        if not isinstance(policy, Policy):
            kind = type(policy).__name__
            raise TypeError(f"evaluate takes a model, an engine or a policy, not {kind}")
        if sampling is not None:
            raise TypeError("sampling is for models: this policy chooses its actions by itself")
        return _evaluate_policy(policy, envs, seeds, deterministic)


def _player(
    policy: Generator | LLMPolicy | str | os.PathLike[str], sampling: Sampling | None, seed: int
) -> Player:
    if isinstance(policy, LLMPolicy):
        return Player(
            policy.generator, sampling or policy.sampling, policy.chat, policy.system,
            context=policy.context,
        )  # fmt: skip
    engine = load_generator(policy) if isinstance(policy, str | os.PathLike) else policy
    return Player(engine, sampling or Sampling(seed=seed))


def _evaluate_policy(
    policy: Policy, envs: Environments, seeds: Sequence[int], deterministic: bool
) -> Evaluation:
    rewards, outcomes = [], []
    env = envs.take()
    for seed in seeds:
        env.reset(seed)
        state, start, total = None, True, 0.0
        while env.to_move() is not None:
            starts = np.array([start])
            (reply,), state = policy.predict([env.observation()], state, starts, deterministic)
            total += env.act(reply)[ONLY_SEAT]
            start = False
        info = env.info(ONLY_SEAT)
        if not info.get("unavailable", False):
            rewards.append(total)
            outcomes.append(outcome_of(info))
    return summary_of(rewards, outcomes)
