"""Steps a second of MuJoCo worlds: `env.step` beside `rollout` on one and on all cores, and peers.

    python -m zerogym.benchmarks.speed.control.rollout [--bodies 256] [--steps 50] [--rounds 5]

Unit: steps of the simulator a second of wall clock, which is what threads save; the median over
rounds, in each of which every way is measured in turn on the same actions and starts. Rewards are
not computed. `gain` is `rollout` on all cores over `env.step`. Goal: at least as fast as stepping
on one core, in proportion on more, and three times the peer: dm_control's body of the same physics,
by shimmy one at a time, with rewards. The peer is not an extra of ours:

    pip install shimmy dm_control
"""

import argparse
import statistics
import time

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.control.steps import PEERS, peer, random_steps, substeps
from zerogym.benchmarks.speed.loops import Loop
from zerogym.envs.control.mujoco.rollout import Floats, rollout
from zerogym.envs.processors import processors

NAMES = ("Walker", "Cheetah", "Hopper", "Ant", "PointMassMaze", "Reacher")


def stepped(env: gym.Env, actions: Floats) -> None:
    """One body after the other."""
    for row in actions:
        env.reset()
        for action in row:
            env.step(action)


def ways(name: str, bodies: int, steps: int) -> dict[str, Loop]:
    """Loops by the name of their column: one by one, on one core, on all; the peer if it is there.

    Each says how many steps of the simulator it has made.
    """
    env = gym.make(f"zerogym/{name}-v0", disable_env_checker=True, horizon=steps + 1).unwrapped
    starts = np.array([env.reset(seed=seed)[0] for seed in range(bodies)])
    states = np.hstack(env.states(starts))  # type: ignore[attr-defined]
    shape = (bodies, steps, *(env.action_space.shape or ()))
    actions = np.random.default_rng(0).uniform(-1, 1, shape)
    made = bodies * steps * substeps(env)

    def one_by_one() -> int:
        stepped(env, actions)
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


def rates(loops: dict[str, Loop], rounds: int) -> dict[str, float]:
    """Steps of the simulator a second, of each loop in its turn."""
    found: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(rounds):
        for name, loop in loops.items():
            start = time.perf_counter()
            found[name].append(loop() / (time.perf_counter() - start))
    return {name: statistics.median(text) for name, text in found.items()}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bodies", type=int, default=256)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    columns = ("env.step", "rollout, 1 core", f"rollout, {processors()} cores", "dm_control")
    table = Table("world", *columns, "gain", "times dm_control")
    for name in NAMES:
        found = rates(ways(name, given.bodies, given.steps), given.rounds)
        text = [f"{found[each]:,.0f}" if each in found else "" for each in columns]
        one, every, theirs = (found.get(each) for each in (columns[0], *columns[2:]))
        assert one and every
        table.add_row(name, *text, f"{every / one:.2f}", f"{every / theirs:.2f}" if theirs else "")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
