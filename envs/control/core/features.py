"""Named quantities of a world's states, in which rewards, events and costs are written.

An environment has named features (`height`, `speed`, ...), each a function of a batch of
observations. A reward is then a function of those names, and serves the live environment and stored
data alike, without a simulator.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from zerogym.envs.control.core.arrays import Array
from zerogym.errors import UnknownName

Measures = Mapping[str, Callable[[Array], Array]]  # observations (B, ...) to numbers (B,)
OfTransition = Callable[[Array, Array, Array], Array]  # obs, action, next_obs, to (B,)


class Features(Mapping[str, Array]):
    """The features of a batch of observations; each is computed when it is first used.

    Args:
        measures: The functions by name.
        observations: (B, ...).
    """

    def __init__(self, measures: Measures, observations: Array) -> None:
        self._measures, self._observations = measures, observations
        self._known: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """Numbers (B,).

        Raises:
            UnknownName: If there is no feature of this name.
        """
        known = self._known
        if name not in known:
            if name not in self._measures:
                raise UnknownName("feature", name, list(self._measures))
            known[name] = self._measures[name](self._observations)
        return known[name]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._measures)

    def __len__(self) -> int:
        """The number of features."""
        return len(self._measures)


@dataclass(frozen=True, eq=False)
class ByFeatures:
    """A function of features and actions, as one of transitions; features are of the next state.

    Attributes:
        measures: The features of observations.
        rule: The function.
        of_single: Whether measures and rule also take one transition in plain numbers.
    """

    measures: Measures
    rule: Callable[[Features, Array], Array]
    of_single: bool = False

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return self.rule(Features(self.measures, next_obs), action)


def of_transitions(function: Callable[..., Array], measures: Measures) -> OfTransition:
    """Make a function of transitions of what a user wrote.

    Args:
        function: Of `(obs, action, next_obs)`, or of `(features, action)`: that with two arguments.
        measures: The features of observations.

    Raises:
        TypeError: If it takes two arguments and there are no features, or neither two nor
            three.
    """
    count = _arguments(function)
    if count == 3 or isinstance(function, ByFeatures):
        return function
    if count != 2:
        raise TypeError(
            "a reward is a function of (obs, action, next_obs) or of (features, action); "
            f"{_name(function)} takes {count}"
        )
    if not measures:
        raise TypeError(f"{_name(function)} is of features, and this world has none")
    return ByFeatures(measures, function)


def _arguments(function: Callable[..., Any]) -> int:
    """Count the required arguments; three where Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 3
    named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    return sum(each.default is each.empty and each.kind not in named for each in parameters)


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
