"""Missions: a name, a formula of LTLf over the events of an environment, or a reward machine."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from zerogym.envs.control.temporal import ltlf
from zerogym.envs.control.temporal.labelling import Holds, labels_of_states
from zerogym.envs.control.temporal.reward_machines import (
    Ints,
    RewardMachine,
    Rule,
    machine_of_formula,
    machine_of_rules,
)
from zerogym.errors import UnknownName


def find_mission(
    mission: object, named: Mapping[str, RewardMachine], holds: Holds
) -> RewardMachine | None:
    """Return the machine of a mission in any form; None stays None.

    Args:
        mission: None, a name, a formula, or a machine.
        named: The missions of the environment.
        holds: (S,) for each event: the places where it happens.

    Raises:
        UnknownName: If there is no mission of that name, or an event is unknown; names the nearest.
        ValueError: If a formula cannot be read, makes too large a machine, or cannot be made true.
        TypeError: If it is none of these.
    """
    if mission is None:
        return None
    if isinstance(mission, RewardMachine):
        mission.check_known(holds)
        return mission
    if not isinstance(mission, str):
        raise TypeError(
            "a mission must be None, a name, a formula such as 'F (a & X F b)' or a "
            f"RewardMachine, got {type(mission).__name__}"
        )
    if mission in named:
        return named[mission]
    if re.fullmatch(r"\w*", mission) and mission not in holds:
        raise UnknownName("mission", mission, list(dict.fromkeys([*named, *holds])))
    ltlf.check_names(ltlf.parse(mission), holds)
    machine = machine_of_formula(mission)
    check_winnable(machine, labels_of_states(machine, holds))
    return replace(machine, text=f"Make this true by the end of the episode: {mission}.")


def check_winnable(machine: RewardMachine, labels: Ints) -> None:
    """Refuse a machine without a positive reward on any sequence of these sets of events.

    Raises:
        ValueError: If so.
    """
    possible = np.unique(labels)
    after, reward = machine.next_state[:, possible], machine.reward[:, possible]
    reached = [machine.initial]
    for state in reached:  # grows while it is read
        reached += [n for n in np.unique(after[state]).tolist() if n not in reached]
    if not (reward[reached] > 0).any():
        raise ValueError(
            f"no episode can make {machine.text!r} true: no place has the events that it needs"
        )


def sequence_machine(
    text: str, events: Sequence[str], *orders: Sequence[str], never: str | None = None
) -> RewardMachine:
    """Return the machine of events that must happen in one of several orders.

    The reward is 1 at the last event. States are the sets of events done; `never` ends the task
    with reward 0.

    Args:
        text: The task in words.
        events: All events that occur in it.
        *orders: Complete orders; they may share beginnings and remainders.
        never: An event that must not happen.

    Example:
        >>> machine = sequence_machine("Both, then home.", "abh", "abh", "bah")
        >>> len(machine), machine.over.tolist()
        (5, [False, False, False, False, True])
    """
    known: dict[frozenset[str], int] = {frozenset(): 0}
    for length in range(1, 1 + max(map(len, orders))):
        for order in orders:
            known.setdefault(frozenset(order[:length]), len(known))
    lost, whole = len(known), {frozenset(order) for order in orders}
    done = {known[each] for each in whole}
    rules: list[Rule] = []
    if never is not None:
        rules += [(n, never, lost, 0.0) for n in known.values() if n not in done]
    for order in orders:
        for length, event in enumerate(order):
            before, after = known[frozenset(order[:length])], known[frozenset(order[: length + 1])]
            rules.append((before, event, after, 1.0 if after in done else 0.0))
    return machine_of_rules(events, rules, text)
