"""Breadth-first search over the states of a puzzle or a plan."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

State = TypeVar("State", bound=Hashable)
Step = TypeVar("Step")


def shortest_path(
    start: State,
    following: Callable[[State], Iterable[tuple[Step, State]]],
    is_goal: Callable[[State], bool],
) -> list[Step]:
    """Return the fewest steps from a state to one that is a goal.

    Args:
        start: Where to begin.
        following: The steps that are possible in a state, with the states to which they lead.
        is_goal: Whether a state ends the search.

    Raises:
        ValueError: If no goal can be reached.

    Example:
        >>> shortest_path(0, lambda n: [("+1", n + 1), ("*2", 2 * n)], lambda n: n == 6)
        ['+1', '+1', '+1', '*2']
    """
    came: dict[State, tuple[State, Step] | None] = {start: None}
    queue = [start]
    for state in queue:
        if is_goal(state):
            path = []
            while (last := came[state]) is not None:
                state, step = last
                path.append(step)
            return path[::-1]
        for step, after in following(state):
            if after not in came:
                came[after] = state, step
                queue.append(after)
    raise ValueError(f"the goal cannot be reached from {start!r}")
