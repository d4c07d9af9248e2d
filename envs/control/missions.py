"""Missions: what a user may pass as one, and machines for chains of errands.

A mission is a name, a formula of LTLf over the events of the world, or a reward machine.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from zerogym.envs.control import ltlf
from zerogym.envs.control.machines import RewardMachine, Rule, machine_of_formula, machine_of_rules
from zerogym.errors import UnknownName


def find_mission(
    mission: object, named: Mapping[str, RewardMachine], events: Collection[str]
) -> RewardMachine | None:
    """The machine of what a user passes as a mission; None stays None.

    Args:
        mission: None, a name, a formula, or a machine.
        named: The missions of the world.
        events: What can happen in it.

    Raises:
        UnknownName: If there is no mission of that name, or an event is unknown; names the nearest.
        ValueError: If a formula cannot be read or makes too large a machine.
        TypeError: If it is none of these.
    """
    if mission is None:
        return None
    if isinstance(mission, RewardMachine):
        for event in mission.events:
            if event not in events:
                raise UnknownName("event", event, list(events))
        return mission
    if not isinstance(mission, str):
        raise TypeError(
            "a mission must be None, a name, a formula such as 'F (a & X F b)' or a "
            f"RewardMachine, got {type(mission).__name__}"
        )
    if mission in named:
        return named[mission]
    if re.fullmatch(r"\w*", mission) and mission not in events:
        raise UnknownName("mission", mission, [*named, *events])
    ltlf.check_names(ltlf.parse(mission), events)
    machine = machine_of_formula(mission)
    return replace(machine, text=f"Make this true by the end of the episode: {mission}.")


def errands(
    text: str, events: Sequence[str], *orders: Sequence[str], never: str | None = None
) -> RewardMachine:
    """To bring about some events one after the other, in one of several orders.

    Pays 1 at the last one. States are what has been done; `never` ends the task without pay.

    Args:
        text: The task in words.
        events: All that occur in it.
        *orders: Each is a whole order; orders may share their beginnings and what is left to do.
        never: What must not happen.

    Example:
        >>> machine = errands("Both, then home.", "abh", "abh", "bah")
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
