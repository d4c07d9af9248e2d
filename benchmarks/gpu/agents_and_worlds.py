"""Checks of forward-backward updates, and of worlds and games that are stepped at once."""

from typing import Any

import gymnasium as gym
import torch

from zerogym.benchmarks.gpu.setup import Numbers, Setup
from zerogym.benchmarks.speed.fb import SIZES, Size, ours, several
from zerogym.envs.games.batched.games import make_batched
from zerogym.envs.games.core.game import load_game

WALKER = SIZES[0]
SMOKE = Size("smoke", 4, 8, 8)
TARGET = 1_500  # updates a second of the walker's size on a Hopper card
METRIC_GAP = 1e-3  # relative: largest difference of a recorded update's metrics that is equal
UPDATES = 8  # that are compared; the first three warm up


def update_rates(setup: Setup, seeds: int = 1, **changes: Any) -> Numbers:
    """Forward-backward updates a second at the size of published runs on the walker."""
    if changes.get("cuda_graph"):
        setup.need_graphs()
    size, settings = _size(setup), {"device": setup.device, **changes}
    update = ours(size, **settings) if seeds == 1 else several(size, seeds, **settings)
    for _ in range(UPDATES):
        update()
    rate = setup.rate(update, seeds)
    found: Numbers = {"updates/s": rate}
    if seeds == 1 and not setup.smoke:
        found["target"] = f"{TARGET} on a Hopper card: {'met' if rate >= TARGET else 'not met'}"
    return found


def recorded_is_eager(setup: Setup) -> Numbers:
    """Compare metrics after some updates with a recorded graph and without, in float32."""
    setup.need_graphs()
    runs = [ours(_size(setup), device="cuda", cuda_graph=graph) for graph in (True, False)]
    for _ in range(UPDATES):
        recorded, eager = (update() for update in runs)
    gaps = [
        abs(float(recorded[k]) - float(eager[k])) / max(1e-6, abs(float(eager[k]))) for k in eager
    ]
    if max(gaps) > METRIC_GAP:
        raise AssertionError(f"recorded updates differ by {max(gaps):.1e}, over {METRIC_GAP:g}")
    return {"largest relative difference": max(gaps)}


def grid_rates(setup: Setup) -> Numbers:
    """Steps a second of the four rooms in torch, plain and slippery, with one-hot observations."""
    count = 64 if setup.smoke else 65_536
    found = {}
    for name in ("FourRooms", "SlipperyGrid"):
        env: Any = gym.make(f"zerogym/{name}-v0", task="goal_7_7").unwrapped
        worlds = env.batched(count, "torch", device=setup.device)
        worlds.reset(seed=0)
        actions = worlds.random_actions()

        def step(worlds: Any = worlds, actions: Any = actions) -> None:
            worlds.step(actions)
            worlds.observe()

        found[f"{name}, steps/s, {count} at once"] = setup.rate(step, count)
    return found


def game_rates(setup: Setup) -> Numbers:
    """Moves a second of games: played on the CPU, with observations and masks on the device."""
    count = 64 if setup.smoke else 16_384
    found = {}
    for name in ("connect_four", "leduc_poker"):
        games = make_batched(load_game(name), count, seed=0)
        games.reset(seed=0)

        def move(games: Any = games) -> None:
            torch.from_numpy(games.observe()).to(setup.device)
            torch.from_numpy(games.step(games.random_actions()).masks).to(setup.device)

        found[f"{name}, moves/s, {count} at once"] = setup.rate(move, count)
    return found


def _size(setup: Setup) -> Size:
    return SMOKE if setup.smoke else WALKER
