"""A reward of one's own: an object, `module:Name`, or what an installed package brings."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.cli.names import import_settings
from zerogym.envs.recorded import recorded_wrappers
from zerogym.envs.references import named_modules
from zerogym.errors import ImportRefused, UnknownName
from zerogym.wrappers import RewardFunction

REWARDS = """
class Short:
    def __init__(self, limit): self.limit = limit
    def __call__(self, observed, reply, info): return float(len(reply) < self.limit)

def echo(observed, reply, info): return float(reply in observed)
def never(observed, reply, info): return float("nan")
number = 7
"""
POINTS = "[zerogym.rewards]\nshort = my_rewards:Short\n"


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings a reward, and whose module has others."""
    (tmp_path / "my_rewards.py").write_text(REWARDS)
    (tmp_path / "mine-1.0.dist-info").mkdir()
    (tmp_path / "mine-1.0.dist-info/METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (tmp_path / "mine-1.0.dist-info/entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("my_rewards", None)
    named_modules.discard("my_rewards")


def rewarded(reward: Any, *replies: str, **settings: Any) -> list[float]:
    """The rewards of replies to the question of 8 - 3, in an episode of so many attempts."""
    task = gym.make("zerogym/RandomCalculation-v0", difficulty=0, max_attempts=len(replies))
    env = RewardFunction(task, reward, **settings)
    env.reset(seed=2)
    found = [env.step(reply) for reply in replies]
    assert all(0 <= info["score"] <= 1 for *_, info in found)
    return [float(reward) for _, reward, *_ in found]


def test_rewards_by_name_and_by_object() -> None:
    right = "<answer>5</answer>"
    assert rewarded(lambda observed, reply, info: len(reply), right, weight=0.5) == [10.0]
    assert rewarded(lambda observed, reply, info: 2, right, keep=False) == [2.0]
    assert rewarded("my_rewards:echo", "8 - 3", right) == [1.0, 1.0]
    assert rewarded("short", "6", right, arguments={"limit": 4}) == [1.0, 1.0]


def test_the_observation_is_what_was_replied_to() -> None:
    observations: list[str] = []

    def reward(observed: str, reply: str, info: Any) -> float:
        observations.append(observed)
        return 0.0

    rewarded(reward, "6", "5")
    assert "8 - 3" in observations[0] and observations[1] != observations[0]


def test_wrong_rewards_are_one_error() -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("shrt", {}, "mean 'short'"),
        ("my_rewards:ecko", {}, "mean 'echo'"),
        ("my_rewards:echo", {"arguments": {"limit": 4}}, "is no class"),
        ("my_rewards:number", {}, "cannot be called"),
        ("my_rewards:never", {}, "of a reply is nan"),
    ]
    for reward, settings, says in cases:
        with pytest.raises((UnknownName, TypeError, ValueError), match=says):
            rewarded(reward, "5", **settings)


def test_a_file_names_no_reward_of_a_module_that_nobody_typed() -> None:
    wrappers = {"RewardFunction": {"reward": "my_rewards:echo"}}
    with pytest.raises(ImportRefused, match="names 'my_rewards:echo' among its wrappers"):
        recorded_wrappers(wrappers, Path("run.json"), named_modules)
    import_settings({"wrappers": wrappers})
    recorded_wrappers(wrappers, Path("run.json"), named_modules)
