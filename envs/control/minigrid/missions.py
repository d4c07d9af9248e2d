"""Missions as trees of deeds, for the oracle: read from the package's worlds and from our tasks.

The deeds are those of the package's verifier: to stand on a cell, to face something, to pick it
up, to open a door, to put one thing next to another; missions join them by "and" and "then". Left
out: missions in which a wrong deed fails, and missions of other kinds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.minigrid.state import COLORS, KINDS
from zerogym.envs.control.minigrid.tasks import MISSION, Within

Cell = tuple[int, int]
Verb = Literal["stand", "face", "pick_up", "carry", "open", "any_open", "put"]


@dataclass(frozen=True)
class Deed:
    """One thing to be done.

    Attributes:
        verb: `stand` on one of `cells`; `face`, `pick_up` or `carry` one of `things`; `open` a door
            on one of `cells`; `any_open`: any door is open; `put` one of `things` next to one of
            `others` or of `cells`.
        things: Numbers of movable things, see `Plan`.
        others: The same.
        cells: Cells, of doors for `face`, `open` and `put`.
    """

    verb: Verb
    things: frozenset[int] = field(default_factory=frozenset)
    others: frozenset[int] = field(default_factory=frozenset)
    cells: frozenset[Cell] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Both:
    """Two missions; in this order, or in any."""

    first: "Mission"
    second: "Mission"
    in_order: bool


Mission = Deed | Both


def deeds(mission: Mission) -> list[Deed]:
    """The leaves of a mission; their order gives each its bit in `advance`."""
    if isinstance(mission, Deed):
        return [mission]
    return deeds(mission.first) + deeds(mission.second)


def advance(mission: Mission, done: int, holds: Callable[[Deed], bool], bit: int = 0) -> int:
    """The set of deeds that are done after a step, as bits.

    Args:
        mission: All that is to be done.
        done: The set before.
        holds: Whether a deed has been done in this step.
        bit: Number of its first deed.
    """
    if isinstance(mission, Deed):
        return done | 1 << bit if holds(mission) else done
    count = len(deeds(mission.first))
    first = (1 << count) - 1 << bit
    if done & first != first:
        done = advance(mission.first, done, holds, bit)
    if not mission.in_order or done & first == first:
        done = advance(mission.second, done, holds, bit + count)
    return done


def mission_of(task: Task, world: Any, things: list[Any]) -> Mission | None:
    """What is to be done for a task, or None if it is not known.

    Args:
        task: One of `tasks.py`.
        world: The package's environment.
        things: Its movable things, as the package's objects.
    """
    if task.name == MISSION:
        return _package_mission(world, things)
    if not isinstance(task.reward, Within):
        return None
    bounds = task.reward.bounds
    if "open_doors" in bounds:
        return Deed("any_open")
    if "on" in bounds:
        return Deed("stand", cells=_cells(world, "goal"))
    if "x" in bounds:
        return Deed("stand", cells=frozenset([(int(bounds["x"][0]), int(bounds["y"][0]))]))
    return Deed("carry", frozenset(_carried(bounds, things)))


def is_hopeless(mission: Mission) -> bool:
    """Whether a task of holding is never paid, as the world has no such thing, nor hides one."""
    return isinstance(mission, Deed) and mission.verb == "carry" and not mission.things


def _carried(bounds: Any, things: list[Any]) -> Iterable[int]:
    """Numbers of the things that a task of holding means."""
    for number, thing in enumerate(things):
        kind, color = KINDS.index(thing.type), COLORS.index(thing.color)
        low, high = bounds.get("carried_color", (0, len(COLORS)))
        if bounds["carried"][0] <= kind <= bounds["carried"][1] and low <= color <= high:
            yield number


def _package_mission(world: Any, things: list[Any]) -> Mission | None:
    instruction = getattr(world, "instrs", None)
    if instruction is not None:
        return _of_instruction(instruction, things)
    if getattr(world, "obj", None) is not None:
        return Deed("pick_up", _numbers([world.obj], things))
    if getattr(world, "door", None) is not None:
        return Deed("open", cells=frozenset([_cell(world.door.cur_pos)]))
    goals = _cells(world, "goal")
    return Deed("stand", cells=goals) if goals else None


def _of_instruction(instruction: Any, things: list[Any]) -> Mission | None:
    """A sentence of the baby language, by the name of its class."""
    kind = type(instruction).__name__
    if getattr(instruction, "strict", False):
        return None
    if kind in ("AndInstr", "BeforeInstr", "AfterInstr"):
        parts = [_of_instruction(one, things) for one in (instruction.instr_a, instruction.instr_b)]
        if parts[0] is None or parts[1] is None:
            return None
        first, second = parts if kind != "AfterInstr" else parts[::-1]
        return Both(first, second, kind != "AndInstr")  # type: ignore[arg-type]
    if kind == "PutNextInstr":
        fixed = instruction.desc_fixed.obj_set
        moved = _numbers(instruction.desc_move.obj_set, things)
        return Deed("put", moved, _numbers(fixed, things), _doors(fixed))
    meant = instruction.desc.obj_set
    if kind == "OpenInstr":
        return Deed("open", cells=_doors(meant))
    if kind == "PickupInstr":
        return Deed("pick_up", _numbers(meant, things))
    if kind == "GoToInstr":
        return Deed("face", _numbers(meant, things), cells=_doors(meant))
    return None


def _numbers(meant: list[Any], things: list[Any]) -> frozenset[int]:
    return frozenset(i for i, thing in enumerate(things) if any(thing is one for one in meant))


def _doors(meant: list[Any]) -> frozenset[Cell]:
    return frozenset(_cell(one.cur_pos) for one in meant if one.type == "door")


def _cells(world: Any, kind: str) -> frozenset[Cell]:
    grid = world.grid
    return frozenset(
        (n % grid.width, n // grid.width)
        for n, thing in enumerate(grid.grid)
        if thing is not None and thing.type == kind
    )


def _cell(place: Any) -> Cell:
    return int(place[0]), int(place[1])


def done_in(world: Any) -> int:
    """The deeds of the package's mission that its verifier has seen done, as bits."""
    return _done(getattr(world, "instrs", None))


def _done(instruction: Any) -> int:
    kind = type(instruction).__name__
    if kind not in ("AndInstr", "BeforeInstr", "AfterInstr"):
        return 0
    halves = [(instruction.instr_a, instruction.a_done), (instruction.instr_b, instruction.b_done)]
    bits = shift = 0
    for part, state in halves[::-1] if kind == "AfterInstr" else halves:
        count = _size(part)
        bits |= ((1 << count) - 1 if state == "success" else _done(part)) << shift
        shift += count
    return bits


def _size(instruction: Any) -> int:
    """Number of deeds in a sentence."""
    if hasattr(instruction, "instr_a"):
        return _size(instruction.instr_a) + _size(instruction.instr_b)
    return 1
