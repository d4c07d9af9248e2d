"""Reward machines: tasks with a memory, over events of a world.

A machine has a state; each transition of the world shows it which events hold, moves it on and is
paid. Tables hold both, so that a stored dataset is paid as fast as it is read, and the product of a
machine and a small world is again a small world with an exact truth.

"Reward Machines: Exploiting Reward Function Structure in Reinforcement Learning" (2022, arXiv
2010.03950); machines from formulas of LTLf as in "Skill Machines: Temporal Logic Skill Composition
in Reinforcement Learning" (2022, arXiv 2205.12532). Left out: rewards that depend on more than the
events (their "reward functions on edges"), and learning a machine from traces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.temporal import ltlf
from zerogym.envs.control.temporal.dfa import check_events, dfa_of, sets_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rule = tuple[int, str, int, float]  # from a state, if this formula holds, to a state, for a reward


@dataclass(frozen=True, eq=False)
class RewardMachine:
    """A finite machine over events.

    Attributes:
        events: The E names; the set of those that hold is the number with bit i for event i.
        next_state: (N, 2**E) where each set of events leads from each state.
        reward: (N, 2**E) what is paid for it.
        over: (N,) bool: states in which the task has ended, for better or worse.
        text: The task in words or as a formula.
        initial: The state at the start of an episode.

    Raises:
        ValueError: If the tables do not fit each other, a state is none, a reward is not finite, or
            something happens after an end.
    """

    events: tuple[str, ...]
    next_state: Ints
    reward: Floats
    over: NDArray[np.bool_]
    text: str
    initial: int = 0

    def __post_init__(self) -> None:
        check_events(self.events)
        after, paid, count = self.next_state, self.reward, len(self.next_state)
        shape = (count, 2 ** len(self.events))
        if after.shape != shape or paid.shape != shape or self.over.shape != (count,):
            shapes = f"{after.shape}, {paid.shape} and {self.over.shape}"
            raise ValueError(f"tables must be {shape}, {shape} and ({count},), got {shapes}")
        if after.dtype.kind not in "iu" or not np.isin(after, range(count)).all():
            raise ValueError(f"next states must be integers from 0 to {count - 1}")
        if self.initial not in range(count):
            raise ValueError(f"the initial state must be 0 to {count - 1}, got {self.initial!r}")
        if not np.isfinite(paid).all():
            raise ValueError("rewards must be finite")
        ended = np.flatnonzero(self.over)
        if (after[ended] != ended[:, None]).any() or paid[ended].any():
            raise ValueError("a state in which the task is over leads to itself and pays nothing")

    def __len__(self) -> int:
        """Number of states, N."""
        return len(self.next_state)

    def label(self, holds: Mapping[str, Array]) -> Any:
        """The sets of events of a batch, as numbers (...), from what holds: (...) for each event.

        Of NumPy or torch.

        Raises:
            ValueError: If what holds is no truth values, or not as many for each event.
        """
        _check_truth({event: holds[event] for event in self.events})
        xp = namespace(*(holds[event] for event in self.events))
        columns = [
            xp.asarray(holds[event], dtype=xp.int64) << i for i, event in enumerate(self.events)
        ]
        return reduce(add, columns)

    def step(self, state: int, label: int) -> tuple[int, float]:
        """The state after a set of events, and what it pays."""
        return int(self.next_state[state, label]), float(self.reward[state, label])

    def run(self, labels: Ints, starts: NDArray[np.bool_]) -> tuple[Ints, Floats]:
        """Go through stored transitions in their order.

        Args:
            labels: (T,) sets of events.
            starts: (T,) whether a transition is the first of its episode.

        Returns:
            The states before each transition, and the rewards; (T,) each. After the end of the
            task the machine stays where it is, and pays nothing.
        """
        states = np.empty(len(labels), dtype=np.int64)
        state = self.initial
        table = self.next_state.tolist()  # one step needs the one before: plain Python is faster
        for t, (label, start) in enumerate(zip(labels.tolist(), starts.tolist(), strict=True)):
            states[t] = state = self.initial if start else state
            state = table[state][label]
        return states, self.reward[states, labels]

    def run_all(self, labels: Array) -> tuple[Array, Array]:
        """Go through N stored episodes of T transitions at once.

        Args:
            labels: (N, T) sets of events, integers of NumPy or torch.

        Returns:
            The states before each transition and the one after the last (N, T + 1), and the
            rewards (N, T), in float64; in the library of the labels, on their device.
        """
        xp = namespace(labels)
        on = {} if xp is np else {"device": labels.device}
        table, reward = xp.asarray(self.next_state, **on), xp.asarray(self.reward, **on)
        states = [xp.full((len(labels),), self.initial, dtype=xp.int64, **on)]
        for t in range(labels.shape[1]):
            states.append(table[states[-1], labels[:, t]])
        every = xp.stack(states, axis=1)
        return every, reward[every[:, :-1], labels]

    def product(self, next_state: Ints, labels: Ints) -> tuple[Ints, Floats]:
        """The world in which a state of the world and one of the machine are one state.

        Args:
            next_state: (S, A) where each action leads.
            labels: (S,) the events of the state that is entered.

        Returns:
            `next_state` (N * S, A) and rewards (N * S, A) for `tabular.value_iteration`; machine
            state n in world state s is number n * S + s.
        """
        states, entered = len(next_state), labels[next_state]  # (S, A)
        after = self.next_state[:, entered] * states + next_state  # (N, S, A)
        paid = self.reward[:, entered]
        return after.reshape(-1, next_state.shape[1]), paid.reshape(-1, next_state.shape[1])


def machine_of_formula(formula: str) -> RewardMachine:
    """The machine that pays 1 in all if the episode satisfies a formula of LTLf, else 0.

    Each transition is a moment of the formula. The reward is the change of "if the episode ended
    now, the formula would hold", 1 or 0 (and 0 before the first moment), so that the sum over an
    episode is exactly its truth at the end. The task is over when nothing can change it any more.

    Raises:
        ValueError: If the formula cannot be read, or has no events, more than ten, or too many
            states; see `ltlf.py` for what can be said, `dfa.py` for the bounds.

    Example:
        >>> machine = machine_of_formula("F (key & X F door) & G !lava")
        >>> machine.events, len(machine)
        (('door', 'key', 'lava'), 4)
    """
    table = dfa_of(ltlf.parse(formula), formula)
    holds = table.holds.astype(np.float64)
    reward = holds[table.next_state] - holds[:, None]
    return RewardMachine(table.events, table.next_state, reward, table.over, formula)


def machine_of_rules(events: Sequence[str], rules: Sequence[Rule], text: str = "") -> RewardMachine:
    """A machine from a list of rules; the first that fits counts, and without one nothing happens.

    Args:
        events: Names of the events.
        rules: `(state, condition, next state, reward)`: the condition is a formula of events
            without time, such as `"key & !lava"`. States are numbered from 0, the initial one. A
            state from which no rule leads is an end of the task.
        text: The task in words.

    Raises:
        ValueError: If a condition cannot be read, names another event or speaks of time, or a state
            is no number from 0 on.

    Example:
        >>> coffee = machine_of_rules(["coffee", "office"],
        ...     [(0, "coffee", 1, 0.0), (1, "office", 2, 1.0)], "Bring coffee to the office.")
        >>> coffee.step(0, 0b01), coffee.step(1, 0b10), coffee.over.tolist()
        ((1, 0.0), (2, 1.0), [False, False, True])
    """
    check_events(events)
    for before, _, later, _ in rules:
        if not all(isinstance(state, int) and state >= 0 for state in (before, later)):
            raise ValueError(f"states are numbers from 0 on, got {before!r} and {later!r}")
    count = 1 + max((max(rule[0], rule[2]) for rule in rules), default=0)
    next_state = np.repeat(np.arange(count)[:, None], 2 ** len(events), axis=1)
    reward = np.zeros(next_state.shape)
    for state, condition, after, paid in reversed(rules):
        fits = _fitting(condition, events)
        next_state[state, fits], reward[state, fits] = after, paid
    over = np.array([all(rule[0] != state for rule in rules) for state in range(count)])
    return RewardMachine(tuple(events), next_state, reward, over, text)


def in_order(*events: str) -> RewardMachine:
    """Bring about one event after the other, each at a later moment; pays 1 at the last one.

    Raises:
        ValueError: Without an event.

    Example:
        >>> in_order("a", "b").text
        'F (a & X F b)'
    """
    if not events:
        raise ValueError("an order has at least one event")
    formula = f"F {events[-1]}"
    for event in reversed(events[:-1]):
        formula = f"F ({event} & X {formula})"
    return machine_of_formula(formula)


def _check_truth(holds: Mapping[str, Array]) -> None:
    shapes = {event: tuple(np.shape(values)) for event, values in holds.items()}
    for event, values in holds.items():
        kind = getattr(values, "dtype", type(values).__name__)
        if "bool" not in str(kind):
            raise ValueError(f"whether {event!r} holds must be bool, got {kind}")
    if len(set(shapes.values())) > 1:
        raise ValueError(f"all events must be of the same transitions, got the shapes {shapes}")


def _fitting(condition: str, events: Sequence[str]) -> NDArray[np.bool_]:
    """Which sets of events fulfil a condition; (2**E,)."""
    parsed = ltlf.parse(condition)
    foreign = ltlf.names(parsed) - set(events)
    if foreign or ltlf.speaks_of_time(parsed):
        what = f"names {sorted(foreign)}" if foreign else "speaks of time"
        raise ValueError(f"the condition {condition!r} {what}; events: {list(events)}")
    begin = ltlf.start(parsed)
    return np.array([ltlf.satisfied(ltlf.progress(begin, holding)) for holding in sets_of(events)])
