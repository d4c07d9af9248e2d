"""Reward machines: finite-state reward functions of events.

A machine has a state; the set of events that hold after a transition determines its next state and
the reward. Both are tables, so that stored datasets are relabelled by look-up, and the product of a
machine and a tabular MDP is again a tabular MDP with an exact solution.

"Reward Machines: Exploiting Reward Function Structure in Reinforcement Learning" (2022, arXiv
2010.03950); machines from formulas of LTLf as in "Skill Machines: Temporal Logic Skill Composition
in Reinforcement Learning" (2022, arXiv 2205.12532). Left out: rewards that depend on more than the
events (their "reward functions on edges"), and learning a machine from traces.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.temporal import ltlf
from zerogym.envs.control.temporal.dfa import check_events, dfa_of, sets_of
from zerogym.errors import UnknownName

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rule = tuple[int, str, int, float]  # from a state, if this formula holds, to a state, for a reward


@dataclass(frozen=True, eq=False)
class RewardMachine:
    """A finite machine over events.

    Attributes:
        events: The E names; the set of those that hold is the number with bit i for event i.
        next_state: (N, 2**E) the next states, by state and set of events.
        reward: (N, 2**E) the reward of each.
        over: (N,) bool: states in which the task has ended, in success or failure.
        text: The task in words or as a formula.
        initial: The state at the start of an episode.

    Raises:
        ValueError: If the tables do not fit each other, a state does not exist, a reward is not
            finite, or a state in which the task is over is not absorbing with reward 0.
    """

    events: tuple[str, ...]
    next_state: Ints
    reward: Floats
    over: NDArray[np.bool_]
    text: str
    initial: int = 0

    def __post_init__(self) -> None:
        check_events(self.events)
        after, reward, count = self.next_state, self.reward, len(self.next_state)
        shape = (count, 2 ** len(self.events))
        if after.shape != shape or reward.shape != shape or self.over.shape != (count,):
            shapes = f"{after.shape}, {reward.shape} and {self.over.shape}"
            raise ValueError(f"tables must be {shape}, {shape} and ({count},), got {shapes}")
        if after.dtype.kind not in "iu" or not np.isin(after, range(count)).all():
            raise ValueError(f"next states must be integers from 0 to {count - 1}")
        if self.initial not in range(count):
            raise ValueError(f"the initial state must be 0 to {count - 1}, got {self.initial!r}")
        if not np.isfinite(reward).all():
            raise ValueError("rewards must be finite")
        ended = np.flatnonzero(self.over)
        if (after[ended] != ended[:, None]).any() or reward[ended].any():
            raise ValueError("a state in which the task is over must lead to itself with reward 0")

    def __len__(self) -> int:
        """Number of states, N."""
        return len(self.next_state)

    def check_known(self, events: Collection[str]) -> None:
        """Raise an `UnknownName` if the machine reads an event that is not among these."""
        for name in self.events:
            if name not in events:
                raise UnknownName("event", name, list(events))

    def label(self, holds: Mapping[str, Array]) -> Any:
        """Return sets of events as numbers (...), from booleans (...) for each event.

        Of NumPy or torch.

        Raises:
            ValueError: If an array is not of booleans, or their shapes differ.
        """
        own = [holds[event] for event in self.events]
        shapes = {event: tuple(np.shape(holds[event])) for event in self.events}
        for event, values in zip(self.events, own, strict=True):
            kind = getattr(values, "dtype", type(values).__name__)
            if "bool" not in str(kind):
                raise ValueError(f"whether {event!r} holds must be bool, got {kind}")
        if len(set(shapes.values())) > 1:
            raise ValueError(f"all events must be of the same transitions, got the shapes {shapes}")
        xp = namespace(*own)
        return sum(xp.asarray(values, dtype=xp.int64) << i for i, values in enumerate(own))

    def step(self, state: int, label: int) -> tuple[int, float]:
        """Return the state after a set of events, and the reward."""
        return int(self.next_state[state, label]), float(self.reward[state, label])

    def run(self, labels: Ints, starts: NDArray[np.bool_]) -> tuple[Ints, Floats]:
        """Run the machine over stored transitions in their order.

        Args:
            labels: (T,) sets of events.
            starts: (T,) True where a transition is the first of its episode.

        Returns:
            The states before each transition, and the rewards; (T,) each.
        """
        states = np.empty(len(labels), dtype=np.int64)
        state = self.initial
        table = self.next_state.tolist()  # one step needs the one before: plain Python is faster
        for t, (label, start) in enumerate(zip(labels.tolist(), starts.tolist(), strict=True)):
            states[t] = state = self.initial if start else state
            state = table[state][label]
        return states, self.reward[states, labels]

    def run_all(self, labels: Array) -> tuple[Array, Array]:
        """Run the machine over N stored episodes of T transitions at once.

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


def machine_of_formula(formula: str) -> RewardMachine:
    """Return the machine whose return is 1 if the episode satisfies a formula of LTLf, else 0.

    Each transition is a moment of the formula. The reward is the change of "the formula would hold
    if the episode ended now", 1 or 0 (and 0 before the first moment), so that the return is 1 or 0
    exactly. The task is over when no further moment can change the outcome.

    Raises:
        ValueError: If the formula cannot be read, or has no events, more than ten, or too many
            states; see `ltlf.py` for the syntax, `dfa.py` for the bounds.

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
    """Return a machine from a list of rules; the first that matches applies, else nothing happens.

    Args:
        events: Names of the events.
        rules: `(state, condition, next state, reward)`: the condition is a formula of events
            without time, such as `"key & !lava"`. States are numbered from 0, the initial one. A
            state without a rule is an end of the task.
        text: The task in words.

    Raises:
        ValueError: If a condition cannot be read, names another event or has temporal operators,
            or a state is no number from 0 on.

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
    for state, condition, after, value in reversed(rules):
        matches = _matches(condition, events)
        next_state[state, matches], reward[state, matches] = after, value
    over = np.array([all(rule[0] != state for rule in rules) for state in range(count)])
    return RewardMachine(tuple(events), next_state, reward, over, text)


def in_order(*events: str) -> RewardMachine:
    """Return the machine of events in this order, each at a later moment; 1 at the last one.

    Raises:
        ValueError: Without an event.

    Example:
        >>> in_order("a", "b").text
        'F (a & X F b)'
    """
    if not events:
        raise ValueError("an order has at least one event")
    return machine_of_formula(ltlf.in_order(events))


def _matches(condition: str, events: Sequence[str]) -> NDArray[np.bool_]:
    """Return True for the sets of events that fulfil a condition; (2**E,)."""
    parsed = ltlf.parse(condition)
    foreign = ltlf.names(parsed) - set(events)
    if foreign or ltlf.is_temporal(parsed):
        what = f"names {sorted(foreign)}" if foreign else "has temporal operators"
        raise ValueError(f"the condition {condition!r} {what}; events: {list(events)}")
    begin = ltlf.start(parsed)
    return np.array([ltlf.satisfied(ltlf.progress(begin, holding)) for holding in sets_of(events)])
