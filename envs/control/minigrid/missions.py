"""Missions as trees of subgoals, for the oracle: of the package's environments and our tasks.

Subgoals are those of the package's verifier: stand on a cell, face something, pick it up, open a
door, put one thing next to another; missions combine them by "and" and "then". Left out: missions
in which a wrong action fails, and missions of other kinds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.minigrid.state import COLORS, KINDS
from zerogym.envs.control.minigrid.tasks import MISSION, Within

Cell = tuple[int, int]
Verb = Literal["stand", "face", "pick_up", "carry", "open", "any_open", "put"]


@dataclass(frozen=True)
class Subgoal:
    """One subgoal.

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
    """Two missions, in this order or in any."""

    first: "Mission"
    second: "Mission"
    in_order: bool


Mission = Subgoal | Both


def subgoals(mission: Mission) -> list[Subgoal]:
    """Return the leaves of a mission; their order numbers the bits in `advance`."""
    if isinstance(mission, Subgoal):
        return [mission]
    return subgoals(mission.first) + subgoals(mission.second)


def advance(mission: Mission, done: int, holds: Callable[[Subgoal], bool], bit: int = 0) -> int:
    """Return the set of subgoals that are done after a step, as bits.

    Args:
        mission: The mission.
        done: The set before.
        holds: Returns True for a subgoal reached in this step.
        bit: Number of its first subgoal.
    """
    if isinstance(mission, Subgoal):
        return done | 1 << bit if holds(mission) else done
    count = len(subgoals(mission.first))
    first = (1 << count) - 1 << bit
    if done & first != first:
        done = advance(mission.first, done, holds, bit)
    if not mission.in_order or done & first == first:
        done = advance(mission.second, done, holds, bit + count)
    return done


def mission_of(task: Task, world: Any, things: list[Any]) -> Mission | None:
    """Return the mission of a task, or None if it is unknown.

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
        return Subgoal("any_open")
    if "on" in bounds:
        return Subgoal("stand", cells=_cells(world, "goal"))
    if "x" in bounds:
        return Subgoal("stand", cells=frozenset([(int(bounds["x"][0]), int(bounds["y"][0]))]))
    low, high = bounds.get("carried_color", (0, len(COLORS)))
    return Subgoal("carry", frozenset(
        number for number, thing in enumerate(things)
        if bounds["carried"][0] <= KINDS.index(thing.type) <= bounds["carried"][1]
        and low <= COLORS.index(thing.color) <= high
    ))  # fmt: skip


def is_hopeless(mission: Mission) -> bool:
    """Return True for a task of holding something that the world does not contain."""
    return isinstance(mission, Subgoal) and mission.verb == "carry" and not mission.things


def _package_mission(world: Any, things: list[Any]) -> Mission | None:
    instruction = getattr(world, "instrs", None)
    if instruction is not None:
        return _of_instruction(instruction, things)
    if getattr(world, "obj", None) is not None:
        return Subgoal("pick_up", _numbers([world.obj], things))
    if getattr(world, "door", None) is not None:
        return Subgoal("open", cells=frozenset([_cell(world.door.cur_pos)]))
    goals = _cells(world, "goal")
    return Subgoal("stand", cells=goals) if goals else None


def _of_instruction(instruction: Any, things: list[Any]) -> Mission | None:
    """Return the mission of a sentence of the Baby Language, by the name of its class."""
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
        return Subgoal("put", moved, _numbers(fixed, things), _doors(fixed))
    objects = instruction.desc.obj_set
    if kind == "OpenInstr":
        return Subgoal("open", cells=_doors(objects))
    if kind == "PickupInstr":
        return Subgoal("pick_up", _numbers(objects, things))
    if kind == "GoToInstr":
        return Subgoal("face", _numbers(objects, things), cells=_doors(objects))
    return None


def _numbers(objects: list[Any], things: list[Any]) -> frozenset[int]:
    return frozenset(i for i, thing in enumerate(things) if any(thing is one for one in objects))


def _doors(objects: list[Any]) -> frozenset[Cell]:
    return frozenset(_cell(one.cur_pos) for one in objects if one.type == "door")


def _cells(world: Any, kind: str) -> frozenset[Cell]:
    grid = world.grid
    return frozenset(
        (n % grid.width, n // grid.width)
        for n, thing in enumerate(grid.grid)
        if thing is not None and thing.type == kind
    )


def _cell(place: Any) -> Cell:
    return int(place[0]), int(place[1])


def done_in(instruction: Any) -> int:
    """Return the subgoals that the package's verifier has recorded as done, as bits."""
    kind = type(instruction).__name__
    if kind not in ("AndInstr", "BeforeInstr", "AfterInstr"):
        return 0
    halves = [(instruction.instr_a, instruction.a_done), (instruction.instr_b, instruction.b_done)]
    bits = shift = 0
    for part, state in halves[::-1] if kind == "AfterInstr" else halves:
        count = _size(part)
        bits |= ((1 << count) - 1 if state == "success" else done_in(part)) << shift
        shift += count
    return bits


def _size(instruction: Any) -> int:
    """Return the number of subgoals in a sentence."""
    if hasattr(instruction, "instr_a"):
        return _size(instruction.instr_a) + _size(instruction.instr_b)
    return 1
