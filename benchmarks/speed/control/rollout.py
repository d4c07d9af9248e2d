"""Steps a second of MuJoCo worlds: `env.step` beside `rollout` on one and on all cores, and peers.

    python -m zerogym.benchmarks.speed.control.rollout [--bodies 256] [--steps 50] [--rounds 5]

Unit: steps of the simulator a second of wall clock, which is what threads save; the median over
rounds, in each of which every way is measured in turn on the same actions and starts. Rewards are
not computed. `gain` is `rollout` on all cores over `env.step`. Goal: at least as fast as stepping
on one core, in proportion on more, and three times the peer: dm_control's body of the same physics,
by shimmy one at a time, with rewards. The peer is not an extra of ours:

    pip install shimmy dm_control
"""

import statistics
import time
from collections.abc import Iterator
from functools import partial

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.control.steps import PEERS, peer, random_steps, substeps
from zerogym.benchmarks.speed.loops import Loop, in_turn, options, show
from zerogym.envs.control.mujoco.rollout import rollout
from zerogym.envs.processors import processors

NAMES = ("Walker", "Cheetah", "Hopper", "Ant", "PointMassMaze", "Reacher")


def ways(name: str, bodies: int, steps: int) -> dict[str, Loop]:
    """Loops by the name of their column: one by one, on one core, on all; the peer if it is there.

    Each says how many steps of the simulator it has made.
    """
    arguments = {"task": None, "horizon": steps + 1}
    env = gym.make(f"zerogym/{name}-v0", disable_env_checker=True, **arguments).unwrapped
    starts = np.array([env.reset(seed=seed)[0] for seed in range(bodies)])
    states = np.hstack(env.states(starts))  # type: ignore[attr-defined]
    shape = (bodies, steps, *(env.action_space.shape or ()))
    actions = np.random.default_rng(0).uniform(-1, 1, shape)
    made = bodies * steps * substeps(env)

    def one_by_one() -> int:
        for row in actions:
            env.reset()
            for action in row:
                env.step(action)
        return made

    def together(threads: int | None) -> int:
        rollout(env, actions, states, threads)
        return made

    found: dict[str, Loop] = {
        "env.step": one_by_one,
        "rollout, 1 core": lambda: together(1),
        f"rollout, {processors()} cores": lambda: together(None),
    }
    ids = [id for id in PEERS.get(name, ()) if id.startswith("shimmy:")]
    if ids and (theirs := peer(ids[0])) is not None:
        loop, each = random_steps(theirs), substeps(theirs)
        found["dm_control"] = lambda: loop() * each
    return found


def rate(loop: Loop) -> float:
    """Steps of the simulator a second."""
    start = time.perf_counter()
    return loop() / (time.perf_counter() - start)


def rows(columns: tuple[str, ...], bodies: int, steps: int, rounds: int) -> Iterator[list[str]]:
    """Measure the loops of each world in turn; yield the rows of the table."""
    for name in NAMES:
        loops = ways(name, bodies, steps)
        taken = in_turn({way: partial(rate, loop) for way, loop in loops.items()}, rounds)
        found = {way: statistics.median(speeds) for way, speeds in taken.items()}
        text = [f"{found[each]:,.0f}" if each in found else "" for each in columns]
        one, every, theirs = (found.get(each) for each in (columns[0], *columns[2:]))
        assert one and every
        yield [name, *text, f"{every / one:.2f}", f"{every / theirs:.2f}" if theirs else ""]


def main() -> None:
    """Measure and print the table."""
    given = options(__doc__, bodies=(256, ""), steps=(50, ""), rounds=(5, ""))
    columns = ("env.step", "rollout, 1 core", f"rollout, {processors()} cores", "dm_control")
    measured = rows(columns, given.bodies, given.steps, given.rounds)
    show(("world", *columns, "gain", "times dm_control"), measured, 120)


if __name__ == "__main__":
    main()
