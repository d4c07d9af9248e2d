"""Imitation before the training: legal replies of all seats, once at a run's start."""

import re
from pathlib import Path

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import equal, random_model
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.models.loading import save_model  # noqa: E402
from zerogym.agents.llm.supervised.sft import collate, encode_all, reply_loss  # noqa: E402
from zerogym.agents.llm.training.imitation import random_traces  # noqa: E402
from zerogym.agents.llm.training.starting_model import model_of_run  # noqa: E402

GAME = {"words": 2, "messages": "numbers"}


def test_traces_have_the_legal_replies_of_each_seat() -> None:
    with Environments("zerogym/red_team-v0", GAME) as envs:
        traces = list(random_traces(envs, 30, np.random.default_rng(0)))
        again = list(random_traces(envs, 30, np.random.default_rng(0)))
    assert traces == again and len(traces) == 60
    for attack, defence in zip(traces[::2], traces[1::2], strict=True):
        ((prompt, reply),), ((other, answer),) = attack.turns, defence.turns
        assert "You are the attacker" in prompt and "You are the defender" in other
        for text, said in ((prompt, reply), (other, answer)):
            (number,) = re.fullmatch(r"<answer>(\d+)</answer>", said).groups()  # type: ignore[union-attr]
            assert re.search(rf"^{number}: ", text, re.M)
    assert len({trace.turns[0][1] for trace in traces[::2]}) == 4, "every form is requested"


def test_a_run_starts_with_what_it_imitated_and_does_not_repeat_it(tmp_path: Path) -> None:
    start = random_model(tmp_path / "start", ["Reply with the number 123"], 16)
    config = GRPOConfig(
        env="zerogym/red_team-v0", env_kwargs=GAME, model=str(start), imitation=4, device="cpu"
    )
    plain, tokenizer = model_of_run(GRPOConfig(model=str(start), device="cpu"), None)
    model, _ = model_of_run(config, None)
    with Environments(config.env, GAME) as envs:
        held_out = list(random_traces(envs, 4, np.random.default_rng(99)))
    ids, labels = collate(encode_all(held_out, tokenizer), "cpu")
    with torch.no_grad():
        before, after = (float(reply_loss(one, ids, labels)[0]) for one in (plain, model))
    assert after < before - 0.01
    again, _ = model_of_run(config, None)
    assert equal(model.state_dict(), again.state_dict())
    saved = save_model(model, tokenizer, tmp_path / "saved")
    resumed, _ = model_of_run(config, saved)
    assert equal(resumed.state_dict(), model.state_dict())
