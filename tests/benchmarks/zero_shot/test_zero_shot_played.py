"""Worlds of episodes in the table: the ends of the scale, who is in it, and a fitted Q by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.benchmarks.zero_shot import played
from zerogym.benchmarks.zero_shot.bodies import BODIES, PLACES
from zerogym.benchmarks.zero_shot.cells import score_agent
from zerogym.benchmarks.zero_shot.fitted import FittedQ
from zerogym.benchmarks.zero_shot.played import FIRST, play
from zerogym.benchmarks.zero_shot.reduced import reduce_run
from zerogym.benchmarks.zero_shot.runner import Plan, identity, run_zero_shot
from zerogym.benchmarks.zero_shot.suite import GREEDY, ORACLE, RIVALS, ZeroShotEntry, ZeroShotWorld
from zerogym.envs.control.core.tasks import Task

MAZE = ZeroShotWorld(
    *("maze", "zerogym/PointMaze-v0", {"layout": "s", "horizon": 12}, 300, 4), 1, "peak"
)
CHEETAH = ZeroShotWorld("cheetah", "zerogym/Cheetah-v0", {"horizon": 8}, 60, 2, 2, "behaviour")
SMALL = {"hidden": 8, "batch_size": 8}
ENTRIES = (
    ZeroShotEntry("GCBC", {"part": "gcbc", **SMALL}, 2),
    ZeroShotEntry("PSM", {"part": "psm"}, 2),
)


def test_random_and_oracle_are_the_ends_and_agents_of_discrete_actions_have_no_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "UPDATES", 5)
    plan = Plan((MAZE,), ENTRIES, RIVALS, seeds=1)
    cells = {r["agent"]: r["scores"] for r in run_zero_shot(plan, tmp_path) if r["kind"] == "cell"}
    assert set(cells) == {*RIVALS, "GCBC"}
    goals = [f"goal_{x}_{y}" for x in ("left", "right") for y in ("bottom", "top")]
    for name, end in (("random", 0.0), (ORACLE, 1.0)):
        assert set(cells[name]) == {"goal, played", "peak, played"}
        for by_task in cells[name].values():
            assert set(by_task.values()) == {end}
    for name in ("straight line", GREEDY, "GCBC"):
        assert (
            set(goals) < set(cells[name]["goal, played"])
            and np.isfinite(list(cells[name]["peak, played"].values())).all()
        )
    assert cells["plan on counts"] == cells["best in the data"] == {}
    # Other numbers of episodes are other cells.
    more = Plan((replace(MAZE, episodes=2),), ENTRIES, RIVALS, seeds=1)
    records = [{**identity(MAZE, "random", 0), "scores": cells["random"]}]
    assert reduce_run(plan, records)["rows"][0]["scores"] == {"random": {"0": 0.0}}
    assert {row["horizon"] for row in reduce_run(plan, records)["rows"]} == {None}
    with pytest.raises(ValueError, match="no cell"):
        reduce_run(more, records)


def test_without_an_oracle_a_score_is_the_mean_reward_of_a_step() -> None:
    scores = play(CHEETAH, 3, lambda task, env: lambda observation: np.zeros(6, np.float32))
    (found,) = scores.values()
    env: Any = gym.make(CHEETAH.env, **CHEETAH.kwargs, task="height_0_5")
    rewards = []
    for episode in range(2):
        env.reset(seed=FIRST + 2 * 3 + episode)
        rewards += [env.step(np.zeros(6))[1] for _ in range(8)]
    assert len(found) == 16 and found["height_0_5"] == pytest.approx(np.mean(rewards))


@pytest.mark.parametrize("entry", BODIES, ids=lambda entry: entry.name)
def test_bodies_of_published_sizes_are_trained_and_played(entry: ZeroShotEntry) -> None:
    small = {"device": "cpu", "precision": "fp32", "batch_size": 8, "hidden": 8, "dim": 4}
    changes = {**entry.agent["changes"], **small, "hidden_backward": 8, "cuda_graph": False}
    world = ZeroShotWorld(
        *("walker", PLACES[1].env, {"horizon": 5}, 100, PLACES[1].hold), 1, PLACES[1].rewards
    )
    tiny = replace(entry, agent={**entry.agent, "changes": changes}, updates=1)
    (scores,) = score_agent(tiny, world, 0, lambda done, whole: None)["scores"].values()
    assert len(scores) > 4 and np.isfinite(list(scores.values())).all()


def walk(steps: int) -> Dataset:
    """Return walks of five steps whose state is the last action, as its first coordinate."""
    actions = np.random.default_rng(0).uniform(-1, 1, (steps, 1)).astype(np.float32)
    starts = np.arange(steps) % 5 == 0
    before = np.where(starts[:, None], 0, np.roll(actions, 1, axis=0)).astype(np.float32)
    return Dataset(before, actions, actions, starts)


def test_the_fitted_q_is_that_of_the_data_and_its_best_action_is_done() -> None:
    # The next state is the action, so that of r = s' and uniform actions Q(s, a) = a, and of
    # r = (s' + 1)^2 it is (a + 1)^2 + gamma / (1 - gamma) E[(a + 1)^2] = (a + 1)^2 + 4 / 3.
    line = Task("line", "", lambda o, a, n: n[:, 0])
    square = Task("square", "", lambda o, a, n: (n[:, 0] + 1) ** 2)
    fitted = FittedQ(walk(4_000), [line, square], gamma=0.5, seed=0)
    assert len(fitted.now) == 3_200  # the last step of each walk is only looked up
    fitted.learn(400)
    actions = torch.linspace(-0.8, 0.8, 9)[:, None]
    state = fitted.standardised(torch.zeros(9, 1))
    with torch.no_grad():
        found = fitted.net(torch.cat([state, actions], 1))
    exact = torch.cat([actions, (actions + 1) ** 2 + 4 / 3], 1)
    assert (found - exact).abs().max() < 0.2
    down = Task("line", "", line.reward)
    assert fitted.greedy(down)(np.zeros(1, np.float32))[0] > 0.8
    with pytest.raises(ValueError, match="two steps"):
        FittedQ(Dataset(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1))), [line], 0.5, 0)
