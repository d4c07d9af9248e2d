"""Properties of the parts of all tables: a new one is in here without a test of its own.

Advantages have a file of their own (`test_part_properties.py`), and so have sequence losses.
"""

import json
from collections.abc import Sequence
from dataclasses import field, fields, make_dataclass, replace
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.samples import sample
from helpers.llm.seat_episodes import played, saying
from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.agents.llm.algorithms.batch import Batch, Sample
from zerogym.agents.llm.algorithms.episode_tables import FILTERS, SHAPINGS, kept, shaped
from zerogym.agents.llm.algorithms.loss_tables import CORRECTIONS, REFERENCES, Totals
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.context_window import CONTEXTS
from zerogym.agents.parts import Table
from zerogym.agents.trajectory import Trajectory
from zerogym.cli.settings import build
from zerogym.cli.settings.fields import settings_of

torch = pytest.importorskip("torch")

from zerogym.agents.llm.algorithms.losses.importance_corrections import correct  # noqa: E402
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss  # noqa: E402

PARTS = [(kind, name) for kind, table in TABLES.items() for name in table]
LOSSES = [
    {kind: name}
    for kind in ("surrogate", "ratio", "aggregation", "kl_estimator")
    for name in TABLES[kind]
]  # each beside the default of the other tables


# --- every part


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_it_says_what_it_is_and_needs(kind: str, name: str) -> None:
    part = TABLES[kind][name]
    assert (part.__doc__ or "").partition("\n")[0].endswith(".")
    assert part.title() == name and part.version >= 1
    assert all(need and "\n" not in need for need in part().needs())
    assert all(setting.comment for setting in settings_of(part).values())


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_settings_go_through_json_and_the_command_line(kind: str, name: str) -> None:
    table: Table[Any] = TABLES[kind]
    part = table.make(name)
    assert table.make(json.loads(json.dumps(part.record()))) == part
    typed = {f"part.{each.name}": text_of(getattr(part, each.name)) for each in fields(part)}
    holder = make_dataclass("Holder", [("part", Any, field(metadata={"parts": table}))])
    assert build(holder, {"part": name, **typed}).part in (part, name)
    config = GRPOConfig(env="zerogym/Syllogism-v0", **{kind: part})  # it has categories, for sec
    again = GRPOConfig(**json.loads(json.dumps(config.record())))
    assert again == config and getattr(again, kind) == part


def text_of(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, bool | None):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, dict) else str(value)


# --- token losses: surrogates, ratios, aggregations and estimators of the divergence


class Rows:
    """Five episodes of up to six own tokens in three turns, one of them silent, in float64."""

    def __init__(self, scale: float = 1.0) -> None:
        numbers = torch.Generator().manual_seed(0)
        self.mask = (torch.rand(5, 6, generator=numbers) > 0.3).double()
        self.mask[3] = 0
        self.mask[4] = torch.eye(6).double()[2]  # one token
        self.turn = torch.arange(6).div(2, rounding_mode="floor").repeat(5, 1)
        old, change, other = (torch.rand(5, 6, generator=numbers).double() for _ in range(3))
        self.old, self.logprobs, self.reference = -old, -old + change - 0.5, -other
        self.advantages = scale * (torch.rand(5, 1, generator=numbers).double() - 0.5)
        self.advantages = self.advantages.expand(5, 6)
        self.totals = Totals(5, int(self.mask.sum()), 6)

    def rows(self, which: Sequence[int]) -> "Rows":
        """Some of the episodes, in this order."""
        some = Rows()
        for name in ("mask", "turn", "old", "logprobs", "reference", "advantages"):
            setattr(some, name, getattr(self, name)[list(which)])
        some.totals = self.totals
        return some

    def padded(self) -> "Rows":
        """The same with numbers that are none where the mask is 0, and two such columns more."""
        more = Rows()
        more.totals, more.mask = self.totals, torch.nn.functional.pad(self.mask, (0, 2))
        more.turn = torch.nn.functional.pad(self.turn, (0, 2))
        for name in ("old", "logprobs", "reference"):
            wide = torch.nn.functional.pad(getattr(self, name), (0, 2))
            setattr(more, name, wide.masked_fill(more.mask == 0, float("nan")))
        more.advantages = self.advantages[:, :1].expand(5, 8) * more.mask
        return more

    def loss(self, parts: dict[str, Any], kl: float = 0.1) -> tuple[float, Any]:
        """Loss and its gradient by the log-probabilities (B, K)."""
        variable = self.logprobs.clone().requires_grad_()
        loss, _ = policy_loss(
            variable, self.old, self.advantages, self.mask, Algorithm(**parts, kl=kl),
            self.totals, turn=self.turn, reference=self.reference if kl else None,
        )  # fmt: skip
        (gradient,) = torch.autograd.grad(loss, variable)
        return float(loss.detach()), gradient


@pytest.mark.parametrize("parts", LOSSES, ids=str)
def test_token_losses_add_up_over_any_cut_and_order(parts: dict[str, Any]) -> None:
    whole, gradient = Rows().loss(parts)
    assert gradient.abs().max() > 1e-3
    total = 0.0
    for cut in ([4, 0], [3], [2, 1]):
        value, own = Rows().rows(cut).loss(parts)
        total += value
        assert torch.allclose(own, gradient[cut], atol=1e-15, rtol=1e-12)
    assert total == pytest.approx(whole, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("parts", LOSSES, ids=str)
def test_the_tokens_of_the_world_and_padding_have_no_influence(parts: dict[str, Any]) -> None:
    whole, gradient = Rows().loss(parts)
    value, own = Rows().padded().loss(parts)
    assert value == pytest.approx(whole, rel=1e-12)
    assert torch.allclose(own[:, :6], gradient, atol=1e-15, rtol=1e-12)
    assert not own[:, 6:].any() and not own[Rows().padded().mask == 0].any()


@pytest.mark.parametrize("parts", LOSSES, ids=str)
def test_token_losses_are_finite_and_rest_where_there_is_nothing_to_learn(
    parts: dict[str, Any],
) -> None:
    value, gradient = Rows(1e6).loss(parts)
    assert np.isfinite(value) and gradient.isfinite().all()
    resting = Rows()
    resting.logprobs, resting.advantages = resting.old, torch.zeros(5, 6).double()
    assert not resting.loss(parts, kl=0.0)[1].any()
    value, gradient = resting.rows([3]).loss(parts)
    assert value == 0 and not gradient.any()


@pytest.mark.parametrize("name", CORRECTIONS.names())
def test_corrections(name: str) -> None:
    """Order, cuts, padding; 1 where engine and trainer agree; finite where they do not at all."""
    part, rows, wide = CORRECTIONS.make(name), Rows(), Rows().padded()
    whole, metrics = correct(part, rows.logprobs, rows.old, rows.mask)
    for cut in ([4, 0], [3], [2, 1]):
        some = rows.rows(cut)
        assert torch.equal(correct(part, some.logprobs, some.old, some.mask)[0], whole[cut])
    padded, more = correct(part, wide.logprobs, wide.old, wide.mask)
    own = rows.mask == 1
    assert torch.allclose(padded[:, :6][own], whole[own]) and more == pytest.approx(metrics)
    agreed, _ = correct(part, rows.old, rows.old, rows.mask)
    assert torch.equal(agreed[own], torch.ones_like(agreed[own]))
    for gap in (-700.0, 700.0):
        assert correct(part, rows.old + gap, rows.old, rows.mask)[0].isfinite().all()


@pytest.mark.parametrize("name", REFERENCES.names())
def test_references(name: str) -> None:
    """A weight of the reference comes from the same weight alone; one that rests is the old one."""
    part = REFERENCES.make(name)
    old, new = torch.rand(2, 6, generator=torch.Generator().manual_seed(0)).double()
    order = torch.tensor([5, 0, 3, 1, 4, 2])
    for updates in (1, 2, 1000):
        found = part(old, new, updates)
        assert torch.equal(part(old[order], new[order], updates), found[order])
        assert ((found >= old.minimum(new)) & (found <= old.maximum(new))).all()
        assert part.follows or torch.equal(found, old)


# --- parts that see episodes


def episodes(scale: float = 1.0, seed: int = 0) -> list[Sample]:
    """Six episodes: some silent, some of one token, with replies that were cut and tools that
    failed."""
    rng = np.random.default_rng(seed)
    made = []
    for number, tokens in enumerate((4, 1, 0, 3, 2, 4)):
        item = sample(scale * float(rng.random() - 0.5), tokens, seed=seed, episode=number)
        (turn,) = item.trajectory.turns
        info = {"void_turn": number == 3, "tool_calls": number, "failed_calls": number // 2}
        turn = replace(turn, finish="length" if number == 1 else "stop", info=info)
        made.append(replace(item, trajectory=replace(item.trajectory, turns=(turn,), info=info)))
    return [*made[:-1], replace(made[-1], trajectory=replace(made[-1].trajectory, turns=()))]


def trajectories(samples: Sequence[Sample]) -> list[Trajectory]:
    return [item.trajectory for item in samples]


@pytest.mark.parametrize("name", FILTERS.names())
def test_filters(name: str) -> None:
    """A verdict for each episode, of few or none, too; in any order, unless it is drawn."""
    part = FILTERS.make(name)
    group, other = trajectories(episodes()), trajectories(episodes(1e6, seed=1))
    first, _ = kept(part, [group, other])
    assert kept(part, []) == [] and len(kept(part, [group[:1]])[0]) == 1
    assert kept(part, [[]]) == [[]]
    verdicts = [part([group], np.random.default_rng(seed)) for seed in range(8)]
    if all(verdict == verdicts[0] for verdict in verdicts):
        order = [4, 2, 0, 5, 1, 3]
        _, after = kept(part, [other, [group[i] for i in order]])
        assert after == [first[i] for i in order]
    else:
        assert len({sum(verdict[0]) for verdict in verdicts}) == 1  # how many is not drawn


@pytest.mark.parametrize("name", SHAPINGS.names())
def test_shapings(name: str) -> None:
    """Order, groups beside it, few and short episodes, large rewards; inputs stay as they are."""
    part = SHAPINGS.make(name)
    group, other = episodes(), episodes(1e6, seed=1)
    before, _ = shaped(part, Batch([group, other]), 5)
    order = [4, 2, 0, 5, 1, 3]
    _, after = shaped(part, Batch([other, [group[i] for i in order]]), 5)
    assert after == [before[i] for i in order]
    assert all(np.isfinite(own).all() for own in shaped(part, Batch([group[:1], other]), 5))
    assert shaped(part, Batch([]), 5) == [] and all(item.shaping == 0 for item in group)


@pytest.mark.parametrize("name", CONTEXTS.names())
def test_contexts_leave_a_short_conversation_alone(name: str) -> None:
    checks = ["check"] * 4
    expected = played(saying(checks, checks))
    player = replace(saying(checks, checks), context=CONTEXTS.make(name))
    assert played(player).groups == expected.groups
