"""Another physics than the default: `ChangedDynamics`, some for training and others for tests.

The change of dynamics of "Zero-Shot Reinforcement Learning Under Partial Observability" (2025,
arXiv 2506.15446): masses and dampings are multiplied by one factor, other ones for training than
for testing, and the agent does not observe it. Ranges of contexts are `ContextSampler`.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from zerogym.envs.control.core.contexts import complete_context
from zerogym.wrappers.arguments import check_names, in_list, number, shown
from zerogym.wrappers.contexts.context_sampler import constants_of, in_context, pinned
from zerogym.wrappers.core import Options, Start
from zerogym.wrappers.seeded import SeededWrapper

PUBLISHED = ("mass", "damping")


class ChangedDynamics(SeededWrapper):
    """Each episode draws one of a few factors, by which some constants of the world are multiplied.

    `info["factor"]` is the factor, `info["context"]` all constants of the episode. The start and
    whatever else the world draws for a seed do not depend on the factors. `reset(options=
    {"context": ...})` pins constants for one episode; the factor is None if it pins a changed one.

    Args:
        env: A world with `constants`.
        factors: Of the default values, drawn evenly; one of them is that physics.
        constants: What they multiply; None are `mass` and `damping`, as far as the world has them.

    Raises:
        TypeError: If the world has no constants, or the factors are no list.
        UnknownName: If there is no such constant.
        ValueError: If there is nothing to change, or a changed constant is out of its range.

    Example:
        >>> import zerogym
        >>> env = ChangedDynamics(gym.make("zerogym/Pendulum-v0"), factors=[0.5, 1.5])
        >>> [env.reset(seed=seed)[1]["context"]["mass"] for seed in range(4)]
        [1.5, 1.5, 1.5, 0.5]
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        factors: Sequence[float],
        constants: Sequence[str] | None = None,
    ) -> None:
        super().__init__(env, factors=factors, constants=constants)
        known = constants_of(env, "ChangedDynamics")
        names = [name for name in PUBLISHED if name in known]
        if constants is not None:
            names = in_list(constants, "ChangedDynamics: constants")
        check_names("constant", names, known)
        given = in_list(factors, "ChangedDynamics: factors")
        if not names or not given:
            raise ValueError(
                f"ChangedDynamics: nothing to change by factors {shown(given)} of constants "
                f"{names}; the world has {list(known)}"
            )
        self.factors = [number(factor, "ChangedDynamics: a factor") for factor in given]
        self._contexts = [
            {name: factor * known[name].default for name in names} for factor in self.factors
        ]
        for context in self._contexts:
            complete_context(known, context, "ChangedDynamics")

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a factor and start an episode."""
        self.reseed(seed)
        drawn = int(self.rng.integers(len(self.factors)))
        context = self._contexts[drawn]
        obs, info = self.env.reset(seed=seed, options=in_context(context, options))
        whole = dict(self.env.unwrapped.context)  # type: ignore[attr-defined]
        factor = None if pinned(options, context) else self.factors[drawn]
        return obs, info | {"context": whole, "factor": factor}
