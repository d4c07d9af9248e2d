"""Bridges: guarded, another suite's defects stay on its side; unguarded, they show."""

import importlib.util
import time

import gymnasium as gym
import pytest

from zerogym.envs.reasoning.bridges.core import SCORE_SECONDS
from zerogym.envs.splits import split_of
from zerogym.errors import MissingExtra, UnknownName

pytest.importorskip("reasoning_gym")


def make(dataset: str, **arguments: object) -> gym.Env[str, str]:
    return gym.make("zerogym/ReasoningGym-v0", dataset=dataset, **arguments)


@pytest.mark.parametrize("dataset", ["countdown", "gcd", "knights_knaves", "prime_factorization"])
def test_the_suite_s_own_answer_scores_one(dataset: str) -> None:
    env = make(dataset)
    for seed in range(3):
        env.reset(seed=seed)
        assert env.step(env.unwrapped.oracle_action())[1] == 1.0  # type: ignore[attr-defined]


@pytest.mark.proof
def test_a_scorer_that_hangs_scores_zero_in_time() -> None:
    env = make("countdown")
    env.reset(seed=0)
    start = time.monotonic()
    _, reward, _, _, info = env.step("<answer>9**9**9**9</answer>")
    assert reward == 0.0
    assert "took longer" in info["feedback"]
    assert time.monotonic() - start < SCORE_SECONDS + 60
    env.reset(seed=0)
    assert env.step(env.unwrapped.oracle_action())[1] == 1.0, "the next one works"  # type: ignore[attr-defined]


def test_a_scorer_that_raises_scores_zero() -> None:
    env = make("prime_factorization")
    env.reset(seed=0)
    _, reward, _, _, info = env.step("<answer>It is 3</answer>")
    assert reward == 0.0
    assert "ValueError" in info["feedback"]


@pytest.mark.proof
def test_an_answer_cannot_end_our_process() -> None:
    env = make("countdown")
    env.reset(seed=0)
    assert env.step("<answer>__import__('os').abort()</answer>")[1] == 0.0


def test_our_sides_are_on_top() -> None:
    for split in ("train", "test"):
        env = make("chain_sum", split=split)
        for _ in range(20):
            prompt, info = env.reset()
            question = prompt.rpartition("\n")[0]
            assert info["split"] == split == split_of("ReasoningGymEnv", question)


def test_guarded_neighbouring_seeds_share_nothing_and_unguarded_nearly_all() -> None:
    shared = {}
    for guarded in (True, False):
        env = make("chain_sum", guarded=guarded)
        streams = []
        for seed in (0, 1):
            first, _ = env.reset(seed=seed)
            streams.append([first, *(env.reset()[0] for _ in range(30))])
        shared[guarded] = len(set(streams[0]) & set(streams[1]))
    assert shared == {True: 0, False: 30}


def test_a_wrong_dataset_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'countdown'"):
        make("countdwn", guarded=False).reset(seed=0)


def test_a_missing_suite_names_its_extra() -> None:
    if importlib.util.find_spec("reasoning_core"):
        pytest.skip("it is installed")
    for guarded in (True, False):
        env = gym.make("zerogym/ReasoningCore-v0", guarded=guarded)
        with pytest.raises(MissingExtra, match=r"pip install 'zerogym\[reasoning-core\]'"):
            env.reset(seed=0)
