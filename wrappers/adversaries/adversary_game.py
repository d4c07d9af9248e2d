"""The agent and its adversary as two players: `AdversaryGame` for both, `AdversarySeat` for one.

The zero-sum game of "Robust Adversarial Reinforcement Learning" (2017, arXiv 1703.02702): the
adversary's reward is the negative of the agent's. Its training takes turns: set the adversary of
`PushAdversary` and let the agent learn, then train the adversary in `AdversarySeat` against the
agent, and so on; any Gymnasium library can do both. Left out: the training itself.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import gymnasium as gym
from gymnasium import spaces
from pettingzoo import ParallelEnv

from zerogym.wrappers import snapshots
from zerogym.wrappers.adversaries.base import AdversaryWrapper
from zerogym.wrappers.core import Options, Start, StatefulWrapper, Step

AGENT, ADVERSARY = "player_0", "player_1"
Seats = dict[str, Any]  # something for each seat


class AdversaryGame(ParallelEnv[str, Any, Any]):
    """A world with an adversary as a PettingZoo environment of two seats that act at once.

    `player_0` is the agent: observations and actions of the whole stack of wrappers. `player_1` is
    the adversary: observations are those of its wrapper, actions its `adversary_space`. Rewards sum
    to zero.

    Args:
        env: A world in a `PushAdversary` or `ActionAdversary`, and perhaps in more wrappers. Its
            own adversary does not act.

    Raises:
        TypeError: If there is no such wrapper.

    Example:
        >>> import zerogym
        >>> from zerogym.wrappers import ActionAdversary
        >>> world = gym.make("zerogym/CartPole-v0", task="balance")
        >>> game = AdversaryGame(ActionAdversary(world, share=0.5))
        >>> _ = game.reset(seed=0)
        >>> game.step({"player_0": [0.0], "player_1": [1.0]})[1]
        {'player_0': 1.0, 'player_1': -1.0}
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "adversary_game", "render_modes": ["rgb_array"]}

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self.env, self._layer = env, layer_of(env)
        self.possible_agents = [AGENT, ADVERSARY]
        self.agents: list[str] = []
        self.render_mode = env.render_mode
        self.observation_spaces = {
            AGENT: env.observation_space,
            ADVERSARY: self._layer.observation_space,
        }
        self.action_spaces = {AGENT: env.action_space, ADVERSARY: self._layer.adversary_space}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of a seat."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of a seat."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Options = None) -> tuple[Seats, Seats]:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        return self._both(obs), {AGENT: info, ADVERSARY: dict(info)}

    def step(self, actions: Seats) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        """Let both act.

        Raises:
            RuntimeError: If there is no episode, or it is over.
            ValueError: If an action is missing.
        """
        if not self.agents:
            raise RuntimeError("AdversaryGame: there is no episode, call reset()")
        missing = [seat for seat in self.agents if seat not in actions]
        if missing:
            raise ValueError(f"AdversaryGame: no action for {', '.join(missing)}")
        self._layer.adversary = partial(_fixed_action, actions[ADVERSARY])
        obs, reward, terminated, truncated, info = self.env.step(actions[AGENT])
        seats = list(self.agents)
        if terminated or truncated:
            self.agents = []
        rewards = {AGENT: float(reward), ADVERSARY: -float(reward)}
        over, cut = dict.fromkeys(seats, terminated), dict.fromkeys(seats, truncated)
        return self._both(obs), rewards, over, cut, {AGENT: info, ADVERSARY: dict(info)}

    def get_state(self) -> dict[str, Any]:
        """Take a snapshot of the world and all its wrappers."""
        return {"env": snapshots.get_state(self.env), "agents": list(self.agents)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        self.agents = list(state["agents"])

    def render(self) -> Any:
        """Return the world's picture."""
        return self.env.render()

    def close(self) -> None:
        """Close the world."""
        self.env.close()

    def _both(self, obs: Any) -> dict[str, Any]:
        return {AGENT: obs, ADVERSARY: self._layer.adversary_observation}


class AdversarySeat(StatefulWrapper):
    """The adversary's view of the world: its observations, its actions, minus the agent's reward.

    Args:
        env: A world in a `PushAdversary` or `ActionAdversary`, and perhaps in more wrappers. Its
            own adversary does not act.
        agent: A function from an observation of `env` to an action: the adversary's opponent.

    Raises:
        TypeError: If there is no such wrapper.

    Example:
        >>> import zerogym
        >>> from zerogym.wrappers import ActionAdversary
        >>> world = gym.make("zerogym/CartPole-v0", task="balance")
        >>> env = AdversarySeat(ActionAdversary(world, share=0.5), agent=lambda obs: [0.0])
        >>> _ = env.reset(seed=0)
        >>> env.step([1.0])[1]
        -1.0
    """

    def __init__(self, env: gym.Env[Any, Any], agent: Callable[[Any], Any]) -> None:
        super().__init__(env, agent=agent)
        self._layer, self._agent = layer_of(env), agent
        self.observation_space = self._layer.observation_space
        self.action_space = self._layer.adversary_space

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        self._memory, info = self.env.reset(seed=seed, options=options)  # the agent's observation
        return self._layer.adversary_observation, info

    def step(self, action: Any) -> Step:
        """Let both act."""
        self._layer.adversary = partial(_fixed_action, action)
        own = self._agent(copy.deepcopy(self._memory))
        self._memory, reward, terminated, truncated, info = self.env.step(own)
        return self._layer.adversary_observation, -float(reward), terminated, truncated, info


def layer_of(env: gym.Env[Any, Any]) -> AdversaryWrapper:
    """Return the wrapper of a stack that has an adversary; the outermost, if there are several.

    Raises:
        TypeError: If there is none.
    """
    for layer in snapshots.layers(env):
        if isinstance(layer, AdversaryWrapper):
            return layer
    raise TypeError(f"a world in a PushAdversary or ActionAdversary is needed, not {env}")


def _fixed_action(action: Any, obs: Any) -> Any:
    """Return the action that is already chosen; can be pickled, as a lambda cannot."""
    return action
