"""What a formula of signal temporal logic pays: at the end of an episode, or step by step.

*Robustness so far* is that of the trajectory whose rest is standing still where it is now. Its last
value is the robustness of the whole episode, so that paying its changes is paying the same return,
shaped ("Policy invariance under reward transformations", 1999, ICML). Whole stored episodes are
paid as the live world pays them. Left out: episodes of different lengths in one array.
"""

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.temporal.stl import Formula


def so_far(formula: Formula, measures: Measures, observations: Array) -> Array:
    """Robustness so far, at the start and after each transition; (N, T + 1).

    Args:
        formula: What is demanded.
        measures: What can be measured of observations (..., k).
        observations: (N, T + 1, k), from the first one to the last; of NumPy or torch.

    Raises:
        ValueError: If the observations are no (N, T + 1, k).
    """
    _check(observations)
    columns = [
        _held(formula, measures, observations, turn) for turn in range(observations.shape[1])
    ]
    return namespace(observations).stack(columns, axis=1)


def pay_at_the_end(formula: Formula, measures: Measures, observations: Array) -> Array:
    """Rewards of T transitions: the robustness for the last one, else 0; (N, T).

    Arguments as of `so_far`.
    """
    _check(observations)
    last = _held(formula, measures, observations, observations.shape[1] - 1)
    zeros = [namespace(last).zeros_like(last)] * (observations.shape[1] - 2)
    return namespace(last).stack([*zeros, last], axis=1)


def pay_for_changes(formula: Formula, measures: Measures, observations: Array) -> Array:
    """Rewards of T transitions: by how much the robustness so far has grown; (N, T).

    Arguments as of `so_far`.
    """
    found = so_far(formula, measures, observations)
    return found[:, 1:] - found[:, :-1]


def _held(formula: Formula, measures: Measures, observations: Array, turn: int) -> Array:
    """Robustness if the observation of this turn were the last to change; (N,)."""
    steps = [min(step, turn) for step in range(formula.horizon + 1)]
    return formula.robustness_of_all(Features(measures, observations[:, steps]))


def _check(observations: Array) -> None:
    if len(observations.shape) != 3 or observations.shape[1] < 2:
        raise ValueError(
            f"observations must be (N, T + 1, k), whole episodes; got {tuple(observations.shape)}"
        )
