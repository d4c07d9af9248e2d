"""Wrappers of the training problems: in the rollouts, and not in the evaluation."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from helpers.llm.small_runs import Digits, registered
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments, most_turns
from zerogym.agents.llm.rollout.evaluation import NotHeldOut, evaluation_envs, held_out
from zerogym.agents.llm.training.grpo import train
from zerogym.envs.reasoning.arithmetic.random_calculation import RandomCalculationEnv
from zerogym.errors import UnknownName, ZerogymError
from zerogym.wrappers import FormatReward, PrefixHint, WithTools

CALCULATION = "zerogym/RandomCalculation-v0"
HINT: dict[str, Any] = {"PrefixHint": {"share": [1.0, 1.0]}, "FormatReward": {"bonus": 0.5}}
SHOUT = """
import gymnasium

class Shout(gymnasium.ObservationWrapper):
    def observation(self, text):
        return text.upper()
"""


def first_prompt(envs: Environments) -> str:
    env = envs.take()
    env.reset(seed=3)
    return env.observation()


def test_training_problems_are_wrapped_and_the_evaluation_is_not(
    start: Path, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {
        "model": str(start), "steps": 1, "prompts_per_step": 1, "group_size": 2, "device": "cpu",
        "eval_episodes": 2, "max_new_tokens": 2, "env": CALCULATION, "keep_rollouts": True,
        "env_kwargs": {"difficulty": 0}, "wrappers": {"FormatReward": {"bonus": 0.5}},
    }  # fmt: skip
    config = GRPOConfig(**settings, out=str(tmp_path / "run"))
    model = train(config).model
    [checkpoint] = model.parent.glob("checkpoint-*")
    record = json.loads((checkpoint / "run.json").read_text())
    assert record["config"]["wrappers"] == settings["wrappers"]
    held_out_arguments = {"difficulty": 0, "split": "test"}
    on = {"player_0": {"env": CALCULATION, "kwargs": held_out_arguments, "wrappers": {}}}
    assert record["evaluated_on"] == on
    [line, *_] = next((tmp_path / "run/rollouts").iterdir()).read_text().splitlines()
    info = json.loads(line)["info"]
    assert info["well_formed"] is False and info["split"] == "train"
    with pytest.raises(ValueError, match="other settings: wrappers"):
        train(GRPOConfig(**settings | {"wrappers": {}}, out=config.out), resume=True)


def test_the_evaluation_has_the_wrappers_that_are_its_own() -> None:
    with Environments(CALCULATION, {}, HINT) as problems:
        [plain] = evaluation_envs(problems, "random").values()
        [tools] = evaluation_envs(problems, "random", {"WithTools": {"tools": ["submit"]}}).values()
        assert "begins like this" in first_prompt(problems)
        assert "begins like this" not in first_prompt(plain) + first_prompt(tools)
        assert "submit" in first_prompt(tools) and "submit" not in first_prompt(plain)


def test_turns_of_wrapped_episodes_are_counted() -> None:
    assert most_turns(CALCULATION, {}, {"WithTools": {"max_calls": 3}}) == 4
    assert most_turns(CALCULATION, {}, {"UnaryFeedback": {}}) == 5
    assert most_turns(CALCULATION, {}, HINT) == 1


def test_wrong_wrappers_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "shouting.py").write_text(SHOUT)
    with pytest.raises(UnknownName, match=r"wrappers 'PrefixHnt'.*mean 'PrefixHint'"):
        GRPOConfig(wrappers={"PrefixHnt": {}})
    with pytest.raises(ValueError, match=r"progress of its own: take prompts='cog_drift'"):
        GRPOConfig(wrappers={"Reformulate": {}})
    with pytest.raises(ValueError, match="takes arguments by name"):
        GRPOConfig(eval_wrappers={"PrefixHint": 3})
    with pytest.raises(TypeError, match="JSON"):
        GRPOConfig(wrappers={"PrefixHint": {"bank": object()}})
    with pytest.raises(ValueError, match=r"zerogym/kuhn_poker-v0 has all seats, take zerogym/Ku"):
        GRPOConfig(env="zerogym/kuhn_poker-v0", wrappers=HINT)
    for name, says in (
        ("FormatReward", "FormatReward does not fit .*'bnus'"),
        ("shouting:Shot", "wrapper of shouting 'Shot'.*mean 'Shout'"),
        ("shouting:gymnasium", "no subclass of gymnasium.Wrapper"),
        ("shoutin:Shout", "no module 'shoutin'. Did you mean 'shouting'"),
    ):
        envs = Environments(CALCULATION, {}, {name: {"bnus": 1} if name in says else {}})
        with pytest.raises((ZerogymError, ValueError), match=says):
            envs.take()
    assert first_prompt(Environments(CALCULATION, {}, {"shouting:Shout": {}})).startswith("CALCU")
    sys.modules.pop("shouting")


@contextmanager
def made_by(function: Callable[..., Any], **settings: Any) -> Iterator[str]:
    gym.register("tests/Own-v0", function, **settings)
    try:
        yield "tests/Own-v0"
    finally:
        del gym.registry["tests/Own-v0"]


class Sums(RandomCalculationEnv):
    """A task of another package."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)


def test_own_ids_are_evaluated_on_their_test_side_or_not_at_all() -> None:
    with registered("tests/Sums-v0", Sums) as env_id:
        assert held_out(env_id, {"difficulty": 1}) == {"difficulty": 1, "split": "test"}
    with registered("tests/Digits-v0", Digits) as env_id:
        assert held_out(env_id, {}) == {}  # it reports no split
    env = FormatReward(gym.make(CALCULATION))
    assert env.spec is not None
    refused: list[tuple[Callable[..., Any], Any, str]] = [
        (lambda: gym.make(CALCULATION), (), r"of the split 'train'.*eval_episodes=0"),
        (
            lambda **kwargs: PrefixHint(gym.make(CALCULATION, **kwargs)),
            (),
            r"inside PrefixHint; .*wrappers=\{'PrefixHint'",
        ),
        (RandomCalculationEnv, env.spec.additional_wrappers, "inside FormatReward"),
    ]
    for function, inside, says in refused:
        with (
            made_by(function, additional_wrappers=inside) as env_id,
            Environments(env_id) as envs,
            pytest.raises(NotHeldOut, match=says),
        ):
            evaluation_envs(envs, "random")


def test_tools_are_wrappers_of_training(digits: str) -> None:
    with Environments(digits, {}, {"WithTools": {"tools": ["submit"], "max_calls": 1}}) as envs:
        assert isinstance(envs.take()._env, WithTools)
