"""Evaluation: on the test side, and counted right."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import evaluate, held_out, summarise, wilson
from zerogym.agents.llm.rollout.runner import Player
from zerogym.agents.llm.training.grpo import train
from zerogym.agents.trajectory import Trajectory


def test_evaluation_is_on_the_test_side(start):
    calculation = "zerogym/RandomCalculation-v0"
    assert held_out(calculation, {"difficulty": 1}) == {"difficulty": 1, "split": "test"}
    assert held_out("zerogym/TicTacToe-v0", {"seat": 0}) == {"seat": 0}
    model, tokenizer = load_model(start, "cpu")
    player = Player(TransformersGenerator(model, tokenizer), Sampling(3))
    with Environments(calculation, held_out(calculation, {})) as envs:
        outcome = evaluate({"player_0": envs}, player, range(5))
        assert envs.take().info("player_0")["split"] == "test"
    assert (outcome.episodes, outcome.accuracy) == (5, 0.0) and outcome.high < 0.6


def test_summary_by_hand():
    won, lost = (
        Trajectory("e", 0, 0, (), reward=reward, info={"success": reward > 0})
        for reward in (2.0, 0.0)
    )
    outcome = summarise([won, won, lost, replace(lost, info={})])
    assert (outcome.reward, outcome.accuracy) == (1.0, 0.5)
    assert summarise([replace(won, info={})]).accuracy is None
    failed = replace(lost, info={"unavailable": True})
    assert summarise([won, failed, lost]) == summarise([won, lost])
    with pytest.raises(ValueError, match="no episode counts"):
        summarise([failed])
    # Wilson's interval solves (share - p)^2 = z^2 p (1 - p) / n at both ends
    for end in wilson(7, 20):
        assert (0.35 - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / 20)
    assert wilson(0, 5)[0] == 0 and wilson(5, 5)[1] == pytest.approx(1)


def test_evaluated_replies_are_the_likeliest_or_drawn(start, tmp_path, monkeypatch):
    settings = {
        "env": "zerogym/RandomCalculation-v0", "model": str(start), "steps": 0, "device": "cpu",
        "eval_episodes": 4, "max_new_tokens": 3,
    }  # fmt: skip
    generate = TransformersGenerator.generate
    for temperature in (0.0, 1.0):
        observed = set()

        def noting(self, prompts, sampling, observed=observed):
            observed.add(sampling.temperature)
            return generate(self, prompts, sampling)

        monkeypatch.setattr(TransformersGenerator, "generate", noting)
        train(GRPOConfig(
            **settings, eval_temperature=temperature, out=str(tmp_path / str(temperature))
        ))  # fmt: skip
        assert observed == {temperature}
