"""The agent and its adversary as two players: `AdversaryGame` for both, `AdversarySeat` for one.

The zero-sum game of "Robust Adversarial Reinforcement Learning" (2017, arXiv 1703.02702): what the
world pays the agent, the adversary loses. Its training takes turns: set the adversary of
`PushAdversary` and let the agent learn, then sit the adversary in `AdversarySeat` against the
agent, and so on; any Gymnasium library can do both. Left out: the training itself.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from pettingzoo import ParallelEnv

from zerogym.wrappers import snapshots
from zerogym.wrappers.adversaries.base import AdversaryWrapper

AGENT, ADVERSARY = "player_0", "player_1"


class AdversaryGame(ParallelEnv[str, Any, Any]):
    """A world with an adversary as a PettingZoo environment of two seats that act at once.

    `player_0` is the agent: observations and actions of the whole stack of wrappers. `player_1` is
    the adversary: observations are those that its wrapper is shown, actions its `adversary_space`.
    Rewards sum to zero.

    Args:
        env: A world in a `PushAdversary` or `ActionAdversary`, and perhaps in more wrappers. Its
            own adversary is not asked.

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
        """Of a seat."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Of a seat."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        return self._both(obs), {AGENT: info, ADVERSARY: dict(info)}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Both act.

        Raises:
            RuntimeError: If there is no episode, or it is over.
            ValueError: If an action is missing.
        """
        if not self.agents:
            raise RuntimeError("AdversaryGame: there is no episode, call reset()")
        missing = [seat for seat in self.agents if seat not in actions]
        if missing:
            raise ValueError(f"AdversaryGame: no action for {', '.join(missing)}")
        self._layer.adversary = partial(_said, actions[ADVERSARY])
        obs, reward, terminated, truncated, info = self.env.step(actions[AGENT])
        seats = list(self.agents)
        if terminated or truncated:
            self.agents = []
        paid = {AGENT: float(reward), ADVERSARY: -float(reward)}
        over, cut = dict.fromkeys(seats, terminated), dict.fromkeys(seats, truncated)
        return self._both(obs), paid, over, cut, {AGENT: info, ADVERSARY: dict(info)}

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the world and all its wrappers."""
        return {"env": snapshots.get_state(self.env), "agents": list(self.agents)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        self.agents = list(state["agents"])

    def render(self) -> Any:
        """The world's picture."""
        return self.env.render()

    def close(self) -> None:
        """Close the world."""
        self.env.close()

    def _both(self, obs: Any) -> dict[str, Any]:
        return {AGENT: obs, ADVERSARY: self._layer.seen}


class AdversarySeat(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The world as its adversary sees it: actions are the adversary's, what is paid is its loss.

    Args:
        env: A world in a `PushAdversary` or `ActionAdversary`, and perhaps in more wrappers. Its
            own adversary is not asked.
        agent: A function from an observation of `env` to an action: whom the adversary plays.

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
        RecordConstructorArgs.__init__(self, agent=agent)
        gym.Wrapper.__init__(self, env)
        self._layer, self._agent = layer_of(env), agent
        self.observation_space = self._layer.observation_space
        self.action_space = self._layer.adversary_space
        self._obs: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        self._obs, info = self.env.reset(seed=seed, options=options)
        return self._layer.seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Both act."""
        self._layer.adversary = partial(_said, action)
        own = self._agent(copy.deepcopy(self._obs))
        self._obs, reward, terminated, truncated, info = self.env.step(own)
        return self._layer.seen, -float(reward), terminated, truncated, info

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the world and all its wrappers."""
        return {"env": snapshots.get_state(self.env), "obs": copy.deepcopy(self._obs)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        self._obs = copy.deepcopy(state["obs"])


def layer_of(env: gym.Env[Any, Any]) -> AdversaryWrapper:
    """The wrapper of a stack that has an adversary; the outermost, if there are several.

    Raises:
        TypeError: If there is none.
    """
    inner = env
    while isinstance(inner, gym.Wrapper):
        if isinstance(inner, AdversaryWrapper):
            return inner
        inner = inner.env
    raise TypeError(f"a world in a PushAdversary or ActionAdversary is needed, not {env}")


def _said(action: Any, obs: Any) -> Any:
    """The adversary whose action has been said; it can be pickled, as a lambda cannot."""
    return action
