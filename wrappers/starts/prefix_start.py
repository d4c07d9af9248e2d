"""Episodes that begin with the first actions of a demonstration: `PrefixStart`.

What `PrefixHint` is to texts: a part of a solution is given, the agent does the rest. After
"Backplay: 'Man muss immer umkehren'" (2018, arXiv 1807.06919) and "Learning Montezuma's Revenge
from a Single Demonstration" (2018, arXiv 1812.03381), which move the start backwards along one
demonstration while the agent learns; the uniform share is that of our `PrefixHint`. Left out: the
rule by which the share becomes smaller (set `share`).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium as gym

from zerogym.wrappers.arguments import in_list, in_order, number, shown
from zerogym.wrappers.core import Options, Start
from zerogym.wrappers.seeded import SeededWrapper


class PrefixStart(SeededWrapper):
    """The first part of a demonstration is played within `reset`; the agent does the rest.

    The steps count for the world's horizon, and their rewards are lost. `info["jump"]` is their
    number, `info["demonstration"]` which one it was, None for a plain episode. Should the episode
    end meanwhile, it begins anew as a plain one.

    Args:
        env: A world.
        demonstrations: Each has `actions`, and `options` of `reset` that pin where it started (and
            its task or context, if it depends on them).
        share: Smallest and largest share of the actions that are played, drawn evenly and rounded
            down.
        rate: Chance that an episode begins with a demonstration; the rest are plain.

    Raises:
        TypeError: If a demonstration is no mapping, or something no list.
        ValueError: If there is no demonstration, one has no actions, or a share or the rate is
            out of [0, 1].

    Example:
        >>> import zerogym
        >>> walk = {"options": {"start": (0.5, 0.5)}, "actions": [[1.0, 0.0], [0.0, 1.0]] * 2}
        >>> env = PrefixStart(gym.make("zerogym/PointMaze-v0"), [walk], share=(0.5, 0.5))
        >>> obs, info = env.reset(seed=0)
        >>> obs.astype(float).round(1).tolist(), info["jump"], info["turn"]
        ([0.7, 0.7], 2, 2)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        demonstrations: Sequence[Mapping[str, Any]],
        share: tuple[float, float] = (0.0, 1.0),
        rate: float = 1.0,
    ) -> None:
        super().__init__(env, demonstrations=demonstrations, share=share, rate=rate)
        self.share = in_order(share, "PrefixStart: share", partial(number, high=1.0), 0.0)
        self.rate = number(rate, "PrefixStart: rate", 0, 1)
        for one in in_list(demonstrations, "PrefixStart: demonstrations"):
            if not isinstance(one, Mapping):
                raise TypeError(f"PrefixStart: a demonstration is a mapping, not {shown(one)}")
        empty = [
            index
            for index, one in enumerate(demonstrations)
            if not in_list(one.get("actions", ()), "PrefixStart: actions")
        ]
        if not len(demonstrations) or empty:
            raise ValueError(f"PrefixStart: no actions in demonstrations {empty or 'at all'}")
        self.demonstrations = demonstrations

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode, and play the first part of a demonstration."""
        self.reseed(seed)
        hinted = self.rng.random() < self.rate
        number = int(self.rng.integers(len(self.demonstrations)))
        share = self.rng.uniform(*self.share)
        if not hinted:
            return self._plain(seed, options)
        shown = self.demonstrations[number]
        where = dict(options or {}) | dict(shown.get("options", {}))
        obs, info = self.env.reset(seed=seed, options=where)
        actions = shown["actions"][: int(share * len(shown["actions"]))]
        for action in actions:
            obs, _, terminated, truncated, info = self.env.step(action)
            if terminated or truncated:
                return self._plain(None, options)
        return obs, info | {"jump": len(actions), "demonstration": number}

    def _plain(self, seed: int | None, options: Options) -> Start:
        obs, info = self.env.reset(seed=seed, options=options)
        return obs, info | {"jump": 0, "demonstration": None}
