"""Reference models that follow the policy: weights by hand, in a run, and in its checkpoint."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import assert_goes_on_exactly, lines_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.algorithms.loss_tables import REFERENCES, Reference  # noqa: E402
from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.agents.llm.algorithms.references import Ema, Reset, Start  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.moving_reference import MovingReference  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402


def layer(weight: float, dtype: torch.dtype = torch.float32) -> torch.nn.Linear:
    """A layer of one weight."""
    made = torch.nn.Linear(1, 1, bias=False, dtype=dtype)
    torch.nn.init.constant_(made.weight, weight)
    return made


@pytest.mark.parametrize(
    ("part", "expected"),
    [(Start(), [1.0, 1.0, 1.0]), (Ema(0.5), [2.0, 3.5, 2.25]), (Reset(2), [1.0, 5.0, 5.0])],
)
def test_three_updates_by_hand(part: Reference, expected: list[float]) -> None:
    """The policy's weight is 3, 5 and 1 after the updates, the reference's 1 at first."""
    model = layer(1.0)
    moving, found = MovingReference(model, part), []
    for weight in (3.0, 5.0, 1.0):
        moving.follow(layer(weight))
        found.append(model.weight.item())
    assert found == expected
    again = MovingReference(layer(7.0), part)
    rest = again.take_state({**moving.state(), "0.exp_avg": torch.zeros(1)})
    assert list(rest) == ["0.exp_avg"]
    again.follow(layer(8.0))
    moving.follow(layer(8.0))
    assert again.weights["weight"].item() == model.weight.item()


def test_small_changes_of_bfloat16_add_up() -> None:
    """Each is a tenth of the distance between numbers of bfloat16 at 1, which is 1/128."""
    model = layer(1.0, torch.bfloat16)
    moving = MovingReference(model, Ema(0.9))
    for _ in range(20):
        moving.follow(layer(1 + 1 / 128, torch.bfloat16))
    assert moving.exact["weight"].item() == pytest.approx(1 + (1 - 0.9**20) / 128, abs=1e-6)
    assert model.weight.item() == 1 + 1 / 128


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=3, prompts_per_step=2,
        group_size=3, max_new_tokens=6, lr=1e-3, eval_episodes=0, device="cpu", seed=5,
        kl=1.0, kl_estimator="k2", reference=Ema(0.5),
    )  # fmt: skip


def test_the_distance_is_to_the_average(config: GRPOConfig) -> None:
    """After two updates the reference is a quarter of the start and so on, to the bit."""
    model, reference = (load_model(config.model, "cpu")[0] for _ in range(2))
    learner = Learner(model, config, reference)
    generator = TransformersGenerator(*load_model(config.model, "cpu"))
    with Environments(config.env) as envs:
        groups = rollout_groups(envs, [1, 22], 3, Player(generator, Sampling(6, seed=4)))
    expected = [p.detach().clone() for p in learner.model.parameters()]
    distances = []
    for _ in range(3):
        distances.append(learner.update(groups)["actor/kl"])
        expected = [
            0.5 * old + 0.5 * new.detach()
            for old, new in zip(expected, learner.model.parameters(), strict=True)
        ]
        for own, by_hand in zip(learner.reference.parameters(), expected, strict=True):
            assert torch.equal(own, by_hand)
    assert distances[0] == 0 < distances[1]


def test_a_run_goes_on_exactly(config: GRPOConfig) -> None:
    train(replace(config, steps=2))
    assert_goes_on_exactly(config)
    assert lines_of(config)[-1]["actor/kl"] > 0


@pytest.mark.parametrize("name", REFERENCES.names())
def test_it_says_what_it_is(name: str) -> None:
    part = REFERENCES.make(name)
    assert "arXiv" in part.source and REFERENCES.make(part.record()) == part
    assert part.follows == (name != "start")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"preset": "t1", "lora_rank": 2}, "and lora_rank do not go together"),
        ({"preset": "t1", "shard": True}, "and shard do not go together"),
        ({"preset": "t1", "reference": "emma"}, "Did you mean 'ema'"),
        ({"kl": 0.1, "reference": {"part": "ema", "decay": 1.0}}, "decay must be in"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        GRPOConfig(**change)


def test_presets_of_papers_have_their_numbers() -> None:
    t1, zoo, orz = (PRESETS[name] for name in ("t1", "simple_rl_zoo", "open_reasoner_zero"))
    assert t1.anchor == Ema(0.99) and t1.needs_reference and t1.entropy > 0
    assert (zoo.kl, zoo.entropy, zoo.clip_high, zoo.divergence.title()) == (1e-4, 1e-3, 0.2, "k3")
    assert (orz.kl, orz.estimator.critic, orz.value_clip) == (0.0, True, 0.2)
    assert orz.estimator.record() == {"part": "gae", "gamma": 1.0, "gae_lambda": 1.0, "version": 1}
    lite = PRESETS["lite_ppo"]
    assert (lite.advantage, lite.aggregation, lite.kl) == ("lite_ppo", "token_mean", 0.0)
    for name, preset in PRESETS.items():
        assert "arXiv" in preset.source, name
