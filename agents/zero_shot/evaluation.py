"""How good a zero-shot model is, on tasks that it never saw.

0 is the random policy, 1 the truth: value iteration on finite worlds, the environment's oracle
elsewhere.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.zero_shot.model import FBModel
from zerogym.envs.control.tabular import evaluate_policy, transition_reward, value_iteration
from zerogym.envs.control.tasks import Task

Act = Callable[[Any], Any]


def evaluate_tabular(
    model: FBModel, env: gym.Env[Any, Any], tasks: Iterable[Task], gamma: float = 0.95
) -> dict[str, float]:
    """Exact normalised returns in a finite world.

    For each task (V - V_random) / (V_optimal - V_random), each value averaged over all start
    states: no rollout, so no noise.

    Args:
        model: A trained model.
        env: Has `num_states`, `next_state` and `observation_of` (FourRooms, UMap).
        tasks: Of this environment, for example `env.unwrapped.tasks.values()`.
        gamma: Discount of the values.

    Returns:
        Score by task name; 1 is optimal, 0 random, below 0 worse than random.
    """
    world: Any = env.unwrapped
    following, states = world.next_state, np.arange(world.num_states)
    here = world.observation_of(states)  # (S, k)
    uniform = np.full(following.shape, 1 / following.shape[1])  # (S, A)
    scores = {}
    for task in tasks:
        reward = tabulate(world, task)  # (S, A)
        policy = model.act(here, model.infer(task))  # (S,)
        value = evaluate_policy(following, policy, reward, gamma).mean()
        chance = evaluate_policy(following, uniform, reward, gamma).mean()
        best = value_iteration(following, reward, gamma)[0].mean()
        scores[task.name] = float((value - chance) / (best - chance))
    return scores


def tabulate(world: Any, task: Task) -> NDArray[np.float64]:
    """The reward of a task for every state and action of a finite world, (S, A)."""
    states, actions = np.indices(world.next_state.shape).reshape(2, -1)  # (S * A,) each
    after = world.next_state[states, actions]  # (S * A,)
    paid = task.relabel(world.observation_of(states), actions, world.observation_of(after))
    return transition_reward(world.next_state, paid.reshape(world.next_state.shape))


def evaluate_returns(act: Act, env: gym.Env[Any, Any], episodes: int, seed: int) -> float:
    """Mean undiscounted return of whole episodes.

    Args:
        act: Maps an observation to an action.
        env: Made with its task.
        episodes: How many.
        seed: Of the first reset; the same seed gives every policy the same starts.
    """
    total = 0.0
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed + episode)
        over = False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(act(observation))
            total += float(reward)
            over = terminated or truncated
    return total / episodes


def evaluate_rollouts(
    model: FBModel,
    make: Callable[[Task], gym.Env[Any, Any]],
    tasks: Iterable[Task],
    episodes: int = 10,
    seed: int = 0,
) -> dict[str, Mapping[str, float]]:
    """Returns of the model and of three other controllers, on the same starts.

    The straight line stands beside the score because a maze that it solves proves nothing.

    Args:
        model: A trained model.
        make: The environment of a task, for example `lambda task: gym.make(id, task=task)`; it
            has an oracle and a straight line, as the package's control worlds have.
        tasks: Tasks of that environment.
        episodes: Of each policy and task.
        seed: Of the starts and of the random policy.

    Returns:
        By task name: mean returns `model`, `random`, `oracle` and `straight_line`, and on the
        scale where random is 0 and the oracle 1, `score` (the model) and `straight_line_score`.
    """
    table: dict[str, Mapping[str, float]] = {}
    for task in tasks:
        env, rng, z = make(task), np.random.default_rng(seed), model.infer(task)
        world: Any = env.unwrapped
        policies: dict[str, Act] = {
            "model": partial(_act_alone, model, z),
            "random": partial(_ignore_observation, partial(world.random_action, rng)),
            "oracle": partial(_ignore_observation, world.oracle_action),
            "straight_line": partial(_ignore_observation, partial(world.straight_line_action, rng)),
        }
        row = {name: evaluate_returns(act, env, episodes, seed) for name, act in policies.items()}
        env.close()
        span = row["oracle"] - row["random"]
        row["score"] = (row["model"] - row["random"]) / span
        row["straight_line_score"] = (row["straight_line"] - row["random"]) / span
        table[task.name] = row
    return table


def _act_alone(model: FBModel, z: NDArray[np.float32], observation: Any) -> Any:
    return model.act(observation[None], z)[0]


def _ignore_observation(choose: Callable[[], Any], observation: Any) -> Any:
    return choose()
