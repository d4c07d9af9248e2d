"""Towers of blocks: drawing them, and two plans that turn some into others without a search."""

import itertools

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, shuffled
from zerogym.envs.reasoning.planning.strips import Atom

Towers = list[list[str]]  # each from the bottom up


def draw_towers(rng: np.random.Generator, blocks: list[str]) -> Towers:
    """Put blocks in random order; each on a random tower or the start of a new one."""
    towers: Towers = []
    for block in shuffled(rng, blocks):
        place = draw_int(rng, 0, len(towers))
        if place == len(towers):
            towers.append([])
        towers[place].append(block)
    return towers


def facts(towers: Towers) -> list[Atom]:
    """Return the facts that describe towers, sorted."""
    on = [("on", upper, lower) for tower in towers for lower, upper in itertools.pairwise(tower)]
    return sorted([*on, *[("ontable", tower[0]) for tower in towers]])


def start_facts(towers: Towers) -> list[Atom]:
    """Return all that holds in Blocksworld while these towers stand and the hand is empty."""
    return [*facts(towers), *[("clear", tower[-1]) for tower in towers], ("handempty",)]


def towers_of(atoms: frozenset[Atom]) -> Towers:
    """Return the towers that facts describe."""
    above = {atom[2]: atom[1] for atom in atoms if atom[0] == "on"}
    towers = []
    for bottom in sorted(atom[1] for atom in atoms if atom[0] == "ontable"):
        tower = [bottom]
        while tower[-1] in above:
            tower.append(above[tower[-1]])
        towers.append(tower)
    return towers


def restack(start: Towers, goal: Towers) -> list[Atom]:
    """Take down only what stands wrongly, then build: at most twice the shortest plan."""
    kept = [tower[: _standing(tower, goal)] for tower in start]
    plan: list[Atom] = []
    for tower, rest in zip(start, kept, strict=True):
        plan += _take_down(tower, max(1, len(rest)))
    standing = {block for rest in kept for block in rest}
    return plan + _build(goal, standing)


def rebuild(start: Towers, goal: Towers) -> list[Atom]:
    """Everything to the table, then build."""
    down = [call for tower in start for call in _take_down(tower, 1)]
    return down + _build(goal, {tower[0] for tower in goal})


def _standing(tower: list[str], goal: Towers) -> int:
    """Return the number of blocks from the bottom that already stand as in the goal."""
    for target in goal:
        if target[0] == tower[0]:
            pairs = zip(tower, target, strict=False)
            return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return 0


def _take_down(tower: list[str], keep: int) -> list[Atom]:
    plan: list[Atom] = []
    for place in range(len(tower) - 1, keep - 1, -1):
        plan += [("unstack", tower[place], tower[place - 1]), ("put-down", tower[place])]
    return plan


def _build(goal: Towers, standing: set[str]) -> list[Atom]:
    plan: list[Atom] = []
    for tower in goal:
        for lower, upper in itertools.pairwise(tower):
            if upper not in standing:
                plan += [("pick-up", upper), ("stack", upper, lower)]
    return plan
