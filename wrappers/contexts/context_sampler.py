"""A new physics in every episode: `ContextSampler`.

The three parts of a context space as in "A Survey of Zero-shot Generalisation in Deep Reinforcement
Learning" (2023, arXiv 2111.09794), drawn as in `zerogym.envs.control.core.contexts`. Left out:
constants that depend on each other, curricula over contexts.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.envs.control.core.contexts import SPLITS, Constant, Split, complete_context
from zerogym.errors import UnknownName
from zerogym.wrappers.arguments import check_names, in_list
from zerogym.wrappers.core import Options, Start
from zerogym.wrappers.seeded import SeededWrapper


class ContextSampler(SeededWrapper):
    """Draws the constants of the world at each reset.

    `info["context"]` holds all constants of the episode, `info["split"]` the part. The start and
    whatever else the world draws for a seed do not depend on the part. `reset(options={"context":
    ...})` pins constants for one episode; if one of those would have been drawn, its part is None.

    Args:
        env: A world with `constants`.
        split: `train` (in the range for training, but not in its middle), `interpolation` (that
            middle) or `extrapolation` (beyond the range, every drawn constant).
        vary: Names of the constants that are drawn; None are all.
        context: Values of others; what is in neither has its default.

    Raises:
        TypeError: If the world has no constants, `vary` is no list or `context` no mapping.
        UnknownName: If there is no such constant or part.
        ValueError: If a constant is both drawn and given, nothing lies beyond its range, or a given
            value is out of it.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/Pendulum-v0")
        >>> env = ContextSampler(world, split="extrapolation", vary=["gravity"])
        >>> contexts = [env.reset(seed=seed)[1]["context"] for seed in range(3)]
        >>> [round(context["gravity"], 1) for context in contexts], contexts[0]["mass"]
        ([15.2, 18.7, 19.8], 1.0)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        split: Split = "train",
        vary: Sequence[str] | None = None,
        context: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(env, split=split, vary=vary, context=context)
        constants = constants_of(env, "ContextSampler")
        if split not in SPLITS:
            raise UnknownName("split", split, list(SPLITS))
        complete_context(constants, context, str(getattr(env.unwrapped, "name", "the world")))
        names = list(constants) if vary is None else in_list(vary, "ContextSampler: vary")
        if vary is None and context:
            names = [name for name in names if name not in context]
        check_names("constant", names, constants)
        for name in names:
            if name in (context or {}):
                raise ValueError(f"ContextSampler: {name} is both drawn and given")
            constants[name].draw(np.random.default_rng(0), split)  # whether there is that part
        # A dict of its own: the read-only mappings of the worlds can be neither copied nor pickled.
        self._constants, self._names, self.split = dict(constants), names, split
        self._given = dict(context or {})

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a context and start an episode in it."""
        self.reseed(seed)
        drawn = {name: self._constants[name].draw(self.rng, self.split) for name in self._names}
        obs, info = self.env.reset(seed=seed, options=in_context(self._given | drawn, options))
        whole = dict(self.env.unwrapped.context)  # type: ignore[attr-defined]
        split = None if pinned(options, drawn) else self.split
        return obs, info | {"context": whole, "split": split}


def in_context(context: Mapping[str, float], options: dict[str, Any] | None) -> dict[str, Any]:
    """Add this context to options of `reset`, but for the constants that they pin themselves."""
    own = (options or {}).get("context")
    if own is not None and not isinstance(own, Mapping):
        return dict(options or {})  # the world refuses it
    return dict(options or {}) | {"context": dict(context) | dict(own or {})}


def pinned(options: dict[str, Any] | None, names: Collection[str]) -> bool:
    """Return whether options that a world has taken pin one of these constants."""
    return not set(names).isdisjoint((options or {}).get("context") or {})


def constants_of(env: gym.Env[Any, Any], who: str) -> Mapping[str, Constant]:
    """Return the constants of a world.

    Raises:
        TypeError: If it has none.
    """
    constants: Mapping[str, Constant] | None = getattr(env.unwrapped, "constants", None)
    if not constants:
        raise TypeError(f"{who} needs a world with `constants`, {env.unwrapped} has none")
    return constants
