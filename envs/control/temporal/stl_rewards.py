"""Rewards from a formula of signal temporal logic: at the end of an episode, or at each step.

*Robustness so far* is that of the trajectory that stays in its present state for the rest of the
episode. Its last value is the robustness of the whole episode, so the sum of its changes is the
same return, shaped ("Policy invariance under reward transformations", 1999, ICML). Stored episodes
get the rewards of live ones. Left out: episodes of different lengths in one array.
"""

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.temporal.stl import Formula


def robustness_so_far(formula: Formula, measures: Measures, observations: Array) -> Array:
    """Return the robustness so far, at the start and after each transition; (N, T + 1).

    Args:
        formula: The specification.
        measures: Named features of observations (..., k).
        observations: (N, T + 1, k), from the first one to the last; of NumPy or torch.

    Raises:
        ValueError: If the observations are no (N, T + 1, k).
    """
    _check(observations)
    turns = range(observations.shape[1])
    columns = [_held(formula, measures, observations, turn) for turn in turns]
    return namespace(observations).stack(columns, axis=1)


def final_rewards(formula: Formula, measures: Measures, observations: Array) -> Array:
    """Return rewards of T transitions: the robustness for the last one, else 0; (N, T).

    Arguments as of `robustness_so_far`.
    """
    _check(observations)
    last = _held(formula, measures, observations, observations.shape[1] - 1)
    zeros = [namespace(last).zeros_like(last)] * (observations.shape[1] - 2)
    return namespace(last).stack([*zeros, last], axis=1)


def shaped_rewards(formula: Formula, measures: Measures, observations: Array) -> Array:
    """Return rewards of T transitions: the change of the robustness so far; (N, T).

    Arguments as of `robustness_so_far`.
    """
    found = robustness_so_far(formula, measures, observations)
    return found[:, 1:] - found[:, :-1]


def _held(formula: Formula, measures: Measures, observations: Array, turn: int) -> Array:
    """Return the robustness (N,) if the observation of this turn were the last to change."""
    steps = [min(step, turn) for step in range(formula.horizon + 1)]
    return formula.robustness_of_all(Features(measures, observations[:, steps]))


def _check(observations: Array) -> None:
    if len(observations.shape) != 3 or observations.shape[1] < 2:
        raise ValueError(
            f"observations must be (N, T + 1, k), whole episodes; got {tuple(observations.shape)}"
        )
