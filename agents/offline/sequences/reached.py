"""Costs and returns of the trajectories of the data: targets where none is given.

Our choice: the papers have a target, and a budget, for each of their tasks. The target is the best
return of a trajectory that costs no more than the budget, and the budget the least cost of any; so
both together are those of a trajectory of the data. The last trajectory is left out unless it
terminated: the end of the data may have cut it, and a part costs less than a whole.
"""

import math
from typing import Any

from zerogym.agents.offline.sequences.windows import Steps

Reached = tuple[tuple[float, float], ...]


def reached_in(steps: Steps) -> Reached:
    """Return (cost, return) of the best trajectories: no other costs less and brings as much.

    Sorted by cost, and so by return; costs are 0 where the data have none.
    """
    found: list[tuple[float, float]] = []
    whole = steps.conditions[steps.times == 0].tolist()  # return, and cost, from the first step on
    if len(whole) > 1 and float(steps.data.goes_on[-1]):
        whole.pop()
    pairs = [(costs[0] if costs else 0.0, value) for value, *costs in whole]
    for cost, value in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
        if not found or value > found[-1][1]:
            found.append((cost, value))
    return tuple(found)


def read_reached(values: Any) -> Reached:
    """Return what stands in a file.

    Raises:
        ValueError: If it is something else.
    """
    try:
        found = tuple((float(cost), float(value)) for cost, value in values)
    except (TypeError, ValueError):
        raise ValueError(f"{values!r:.80} is no list of costs and returns") from None
    if not all(math.isfinite(number) for pair in found for number in pair):
        raise ValueError("a return or cost of its data is not finite")
    return found


def choose(
    reached: Reached, constrained: bool, target: float | None, budget: float | None
) -> tuple[float, float | None]:
    """Return target and budget, those of the data where they are None.

    Args:
        reached: Costs and returns of the data; empty if unknown.
        constrained: Whether there is a budget.
        target: The return of an episode.
        budget: Its cost.

    Raises:
        ValueError: If a number is not finite, if there is a budget and the agent has none, or if
            the data name no target.
    """
    for name, number in (("target", target), ("budget", budget)):
        if number is not None and not math.isfinite(number):
            raise ValueError(f"{name} must be a finite number, got {number}")
    if budget is not None and not constrained:
        raise ValueError("this agent is not constrained: it takes no budget")
    if not reached and (target is None or (constrained and budget is None)):
        raise ValueError("the folder does not say what its data reached: give target and budget")
    if constrained and budget is None:
        budget = reached[0][0]
    if target is None:
        within = [value for cost, value in reached if budget is None or cost <= budget]
        if not within:
            raise ValueError(
                f"no trajectory of the data costs at most {budget:g}, the least is "
                f"{reached[0][0]:g}: give a target"
            )
        target = within[-1]
    return target, budget
