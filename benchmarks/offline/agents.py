"""Scores of offline agents: exact for a policy of the state, of episodes for one with a memory."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from zerogym.agents.core import Policy
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.offline.agent import OfflineAgent
from zerogym.agents.offline.config import OfflineConfig
from zerogym.agents.offline.draws import returns
from zerogym.agents.offline.sequences.decision_transformer import (
    DecisionTransformer,
    SequenceConfig,
)
from zerogym.agents.offline.transitions import Transitions, relabelled
from zerogym.agents.zero_shot.evaluation.returns import policy_score
from zerogym.benchmarks.zero_shot.suite import GAMMA
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy, value_iteration

_SIZES: Mapping[str, Any] = {
    "updates": 700,
    "batch_size": 128,
    "hidden": 64,
    "lr": 3e-3,
    "gamma": GAMMA,
    "tau": 0.03,
}
# As in IQL's paper for mazes, whose rewards are rare, too; f-DVL has the same actor.
_SHARP = {"temperature": 10.0}
AGENTS: Mapping[str, OfflineConfig] = MappingProxyType(
    {
        "BC": OfflineConfig(method="bc", **_SIZES),
        "BC, return-weighted": OfflineConfig(method="bc", draw="return", **_SIZES),
        "CQL": OfflineConfig(method="cql", **_SIZES),
        "IQL": OfflineConfig(method={"part": "iql", "expectile": 0.9, **_SHARP}, **_SIZES),
        "f-DVL": OfflineConfig(method={"part": "f_dvl", "weight": 0.9, **_SHARP}, **_SIZES),
    }
)
TRANSFORMER = "decision transformer"
SEQUENCES = SequenceConfig(context=6, updates=200, width=32, layers=2, lr=3e-3)
NAMES = (*AGENTS, TRANSFORMER)
LENGTH, REPEATS = 100, 2  # steps of an episode that is played; episodes from each start
_PLAY = 2  # stream of random numbers


def scores_of(world: Any, task: Task, data: Dataset, seed: int) -> dict[str, float]:
    """Train each of `NAMES` on the data and return its score; 0 is random, 1 optimal.

    Args:
        world: A tabular environment.
        task: Whose rewards the data get.
        data: Transitions.
        seed: Of weights, batches and played episodes.
    """
    here = world.observation_of(np.arange(world.num_states))  # (S, k)
    actions, known = len(world.action_names), relabelled(data, task)
    scores = {}
    for name, config in AGENTS.items():
        agent = OfflineAgent(OfflineConfig(**{**vars(config), "seed": seed}), known, actions)
        agent.learn(known)
        chosen = agent.predict(here, deterministic=True)[0]
        scores[name] = policy_score(world, task, chosen, GAMMA)
    scores[TRANSFORMER] = _of_transformer(world, task, known, seed)
    return scores


def _of_transformer(world: TabularEnv, task: Task, data: Transitions, seed: int) -> float:
    """Train a decision transformer and play it towards the largest return of the data."""
    config = SequenceConfig(**{**vars(SEQUENCES), "seed": seed})
    agent = DecisionTransformer(config, data, len(world.action_names))
    agent.learn(data)
    policy = agent.policy(float(returns(data)[0].max()), task)
    found = played(world, task, policy, LENGTH, REPEATS, seed)
    dynamics, reward, starts = world.mdp.dynamics, world.reward_of(task), list(world.mdp.starts)
    uniform = np.full(reward.shape, 1 / reward.shape[1])
    chance = evaluate_policy(dynamics, uniform, reward, GAMMA)[starts].mean()
    best = value_iteration(dynamics, reward, GAMMA)[0][starts].mean()
    return float((found - chance) / (best - chance))


def played(
    world: TabularEnv, task: Task, policy: Policy, length: int, repeats: int, seed: int
) -> float:
    """Return the mean discounted return of episodes from every start, by the world's model.

    Terminal states are absorbing with reward 0, so that all episodes have the same length. The
    policy takes its likeliest actions.

    Args:
        world: A tabular environment.
        task: One of its tasks.
        policy: May have a memory.
        length: Steps of an episode; what comes later is left out.
        repeats: Episodes from each start; where steps are certain one is as good as many.
        seed: Of the outcomes.
    """
    mdp, rng = world.mdp, np.random.default_rng((seed, _PLAY))
    rewards = mdp.reward_table(task)  # (S, A, K)
    count = 1 if mdp.is_deterministic else repeats
    states, memory, total = np.tile(mdp.starts, count), None, 0.0
    for step in range(length):
        begins = np.full(len(states), step == 0)
        actions, memory = policy.predict(world.observation_of(states), memory, begins, True)
        drawn = rng.random((len(states), 1)) >= mdp.thresholds[states, actions]  # (B, K - 1)
        cell = states, actions, drawn.sum(axis=1)
        total += GAMMA**step * float(rewards[cell].mean())
        states = mdp.outcomes[cell]
    return total
