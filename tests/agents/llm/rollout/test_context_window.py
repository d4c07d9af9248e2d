"""Conversations that outgrow the model's context: what is kept, and what is recorded of it."""

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import gymnasium as gym
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import TURNS, Echo, Scripted, Typist
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.policy import LLMPolicy
from zerogym.agents.llm.rollout.context_window import CONTEXTS, Markovian, Stop, Summarise, Truncate
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout
from zerogym.agents.llm.training.batch import player_of
from zerogym.agents.llm.training.resume import check_same_settings
from zerogym.agents.trajectory import Trajectory
from zerogym.cli.console import UsageError
from zerogym.cli.settings import build
from zerogym.errors import PartFailed


@pytest.fixture
def echo():
    gym.register("tests/Echo-v0", Echo)
    with Environments("tests/Echo-v0") as envs:
        yield envs
    del gym.registry["tests/Echo-v0"]


class Watched:
    """An engine around another that keeps its prompts and completions."""

    def __init__(self, engine) -> None:
        self.engine, self.tokenizer = engine, engine.tokenizer
        self.context_length, self.weight_version = engine.context_length, 0
        self.observed: list[tuple[tuple[int, ...], Completion]] = []

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        completions = self.engine.generate(prompts, sampling)
        self.observed += zip(map(tuple, prompts), completions, strict=True)
        return completions

    def update_weights(self, weights, version: int) -> None: ...

    @property
    def texts(self) -> list[str]:
        return ["".join(map(chr, prompt)) for prompt, _ in self.observed]


def word(prompt: str) -> str:
    """The last number of the prompt, as a word of three letters."""
    return "w0" + re.findall(r"\d", prompt)[-1]


def test_truncation_drops_the_oldest_turns_and_keeps_the_rest_id_for_id(echo):
    # opening: "task8\n"; a turn: "w08~\nask1\n"; 14 tokens are room for both, a reply has 4
    engine = Watched(Scripted(word, context_length=6 + 2 * 10 + 4))
    (record,) = rollout(echo, [0], Player(engine, Sampling(4), context=Truncate()))
    start = engine.texts[0]
    turns = [f"w0{n}~\nask{i}\n" for i, n in enumerate([start[4], 1, 2, 3, 4], start=1)]
    kept = [turns[max(0, i - 2) : i] for i in range(TURNS)]
    assert engine.texts == [start + "".join(some) for some in kept]
    assert [turn.fresh for turn in record.turns] == [False, False, False, True, True, True]
    assert not record.truncated and record.reward == sum(range(1, TURNS + 1))
    (cut,) = rollout(echo, [0], Player(engine, Sampling(4), context=Stop()))
    assert cut.truncated and len(cut.turns) == 3  # the third reply fills the context


def test_a_summary_is_a_turn_of_its_own_and_all_that_remains(echo):
    def reply(prompt: str) -> str:
        return "SUM" if prompt.endswith("Sum up!\n") else word(prompt)

    context = Summarise("Sum up!")
    engine = Watched(Scripted(reply, context_length=48))
    (record,) = rollout(echo, [1], Player(engine, Sampling(4), context=context))
    task = engine.texts[0].strip()
    kinds = [turn.kind for turn in record.turns]
    assert kinds.count("reply") == TURNS and kinds.count("summary") >= 2
    first = kinds.index("summary")
    request, after = engine.texts[first : first + 2]
    assert request == f"{engine.texts[first - 1]}w0{first - 1}~\nSum up!\n"
    assert after == f"{task}\n\nSUM\n\nask{first}\n"
    assert max(len(prompt) + 4 for prompt, _ in engine.observed) <= 48
    assert not record.turns[first].fresh and record.turns[first + 1].fresh
    assert record.turns[first].reward == 0 and record.reward == sum(range(1, TURNS + 1))
    assert [m["content"] for m in record.messages[::2]] == [task, *(f"ask{i}" for i in range(1, 6))]
    own = [i for i, m in zip(record.flatten().ids, record.flatten().mask, strict=True) if m]
    assert "".join(map(chr, own)).count("SUM~") == kinds.count("summary")


def test_chunks_see_the_task_and_the_end_of_the_thought(echo):
    text = "".join(map(chr, range(ord("a"), ord("z") + 1))) + "~"
    engine = Watched(Typist(text * TURNS, context_length=1000))
    context = Markovian(carry=3, chunks=5)
    (record,) = rollout(echo, [0], Player(engine, Sampling(10), context=context))
    task = engine.texts[0]
    assert engine.texts[:3] == [task, f"{task}hij", f"{task}rst"]
    assert engine.texts[3] == f"{task}rstuvwxyz~\nask1\n"
    assert [turn.kind for turn in record.turns] == ["chunk", "chunk", "reply"] * TURNS
    assert [turn.fresh for turn in record.turns[:4]] == [False, True, True, False]
    assert {turn.action for turn in record.replies} == {text[:-1]}
    assert [turn.reward for turn in record.turns[:6]] == [0, 0, 1, 0, 0, 2]


def test_chunks_end_where_the_context_does_and_are_not_without_number(echo):
    engine = Watched(Typist("x" * 500, context_length=14))
    context = Markovian(carry=4, chunks=3)
    (record,) = rollout(echo, [0], Player(engine, Sampling(100), context=context))
    # the opening has 6 tokens: 8 are free at first and 4 in each chunk that carries 4
    lengths = [len(turn.action_ids) for turn in record.turns]
    assert lengths == [8, 4, 4] + [4, 4, 4] * (TURNS - 1)
    assert record.replies[0].action == "x" * 16 and record.replies[0].finish == "context"
    assert max(len(prompt) for prompt, _ in engine.observed) == 10


def test_a_stop_text_ends_a_reply_even_across_chunks(echo):
    engine = Typist("abc<end>zzz" * 10, context_length=1000)
    player = Player(engine, Sampling(6, stop=("<end>",)), context=Markovian(carry=2, chunks=2))
    (record,) = rollout(echo, [0], player)
    assert record.replies[0].action == "abc<end>"


def test_rows_of_the_record_are_split_where_contexts_begin(echo):
    engine = Watched(Typist("abcd~" * 99, context_length=24))
    (record,) = rollout(echo, [0], Player(engine, Sampling(5), context=Truncate()))
    flat = record.flatten()
    parts = flat.contexts()
    assert len(parts) == len(flat.starts) == TURNS - 1
    assert sum((part.ids for part in parts), ()) == flat.ids
    assert [part.mask.count(1) for part in parts] == [10, 5, 5, 5, 5]
    # only the newest reply of a context is trained: the ones before were, in theirs
    assert all(part.mask[-5:] == (1,) * 5 for part in parts)
    assert Trajectory.from_record(json.loads(json.dumps(record.to_record()))) == record


@pytest.mark.parametrize("context", [Stop(), Truncate(), Summarise("Sum up!"), Markovian(3, 4)])
def test_the_policy_sees_what_the_rollout_sees(echo, context):
    engines = [Watched(Typist("abcd~abcdefg~" * 90, context_length=60)) for _ in range(2)]
    (record,) = rollout(echo, [3], Player(engines[0], Sampling(5), context=context))
    policy = LLMPolicy(engines[1], Sampling(5), context=context)
    world = echo.take()
    world.reset(3)
    state, observed = None, []
    while world.to_move() is not None:
        replies, state = policy.predict([world.observation()], state)
        observed += replies
        world.act(replies[0])
    assert [turn.action for turn in record.replies] == observed[: len(record.replies)]
    assert engines[0].texts == engines[1].texts[: len(engines[0].texts)]
    assert len(record.replies) == TURNS or isinstance(context, Stop)


def test_a_budget_is_kept_to_the_token(echo):
    player = Player(Scripted(word), Sampling(4), budget=10)
    (record,) = rollout(echo, [0], player)
    assert [len(turn.action_ids) for turn in record.turns] == [4, 4, 2]
    assert record.turns[-1].action == "w0" and record.turns[-1].finish == "length"
    assert record.truncated and not record.terminated and record.reward == 1 + 2 + 3
    chunked = Player(Typist("x" * 99, 99), Sampling(4), context=Markovian(2, 9), budget=10)
    (record,) = rollout(echo, [0], chunked)
    assert [turn.kind for turn in record.turns] == ["chunk", "chunk", "reply"]
    assert record.replies[0].action == "x" * 10 and record.truncated and record.reward == 1
    summing = Player(Scripted(word, 40), Sampling(4), context=Summarise("Sum up!"), budget=10)
    (record,) = rollout(echo, [0], summing)
    assert record.turns[-1].kind == "summary" and record.truncated and record.reward == 3
    with pytest.raises(ValueError, match="budget must be at least 0, got -1"):
        Player(Scripted(word), budget=-1)


def test_settings_that_make_no_sense_are_refused():
    for arguments, words in (({"carry": 0}, "carry must be >= 1"), ({"chunks": 0}, "chunks must")):
        with pytest.raises(ValueError, match=words):
            Markovian(**arguments)


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("torch")
    from zerogym.agents.llm.generation.engines import load_generator

    return load_generator("tiny")


CASES = [Truncate(), Summarise("Sum up!"), Markovian(carry=7, chunks=3)]


def played(echo, tiny, context):
    """Episodes of the tiny model in 40 tokens, and what the engine saw, episode by episode."""
    engine = Watched(type(tiny)(tiny.model, tiny.tokenizer, context_length=40))
    records, observed = [], []
    for seed in range(3):
        engine.observed = []
        player = Player(engine, Sampling(5, temperature=1.5, seed=seed), context=context)
        records += rollout(echo, [seed], player)
        observed.append(engine.observed)
    return records, observed


@pytest.mark.parametrize("context", CASES, ids=lambda context: type(context).__name__)
def test_each_recorded_token_has_the_log_probability_of_its_true_context(echo, tiny, context):
    import torch

    from helpers.llm.forward_pass import recomputed
    from zerogym.agents.llm.learner.packing import packed_attention
    from zerogym.agents.llm.learner.rows import Rows, token_logprobs, token_logprobs_and_entropy

    records, observed = played(echo, tiny, context)
    flats = [record.flatten() for record in records]
    assert all(len(flat.starts) > 2 for flat in flats)
    for flat, calls, record in zip(flats, observed, records, strict=True):
        expected_value = []
        for prompt, completion in calls:  # one full forward pass for each call of the engine
            with torch.no_grad():
                expected_value += recomputed(tiny.model, prompt, completion.ids, 1.5).tolist()
        own = [p for p, m in zip(flat.logprobs, flat.mask, strict=True) if m]
        assert own == pytest.approx(expected_value, abs=1e-4)
        # the record alone gives back what the engine saw
        contexts = [flat.ids[a:b] for a, b in itertools.pairwise([*flat.starts, len(flat.ids)])]
        said: list[int] = []
        for turn, (prompt, completion) in zip(record.turns, calls, strict=True):
            said = [*([] if turn.fresh else said), *turn.prompt_ids]
            assert tuple(said) == prompt
            said += completion.ids
        assert contexts[-1] == tuple(said)
    rows = Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])
    assert len(rows.apart.ids) == sum(len(flat.starts) for flat in flats) > len(rows.ids)
    with torch.no_grad():
        apart = token_logprobs(tiny.model, rows, 1.5)
        both = token_logprobs_and_entropy(tiny.model, rows, 1.5)
        with packed_attention(tiny.model):
            packed = token_logprobs(tiny.model, rows, 1.5, packed=True)
    for found in (apart, both[0], packed):
        assert (found - rows.old).abs().max() < 1e-4
    assert (both[1][rows.mask == 1] > 0).all()


def test_episodes_in_several_contexts_weigh_as_one(echo, tiny):
    """The loss of GRPO is the mean over an episode's own tokens, in whatever context."""
    import torch

    from helpers.llm.forward_pass import recomputed
    from zerogym.agents.llm.grpo_config import GRPOConfig
    from zerogym.agents.llm.learner.learner import Learner

    records, observed = played(echo, tiny, Markovian(carry=7, chunks=3))
    rewards = [1.0, 0.0, 3.0]
    group = [replace(item, reward=value) for item, value in zip(records, rewards, strict=True)]
    gradients = []
    config = GRPOConfig(temperature=1.5, lr=1e-5, max_grad_norm=1e9, preset="grpo", kl=0.0)
    for packing in (False, True):
        learner = Learner(tiny.model, replace(config, packing=packing))
        learner.optimizer.step = lambda loss: {}
        learner.update([group])
        gradients.append(torch.cat([p.grad.flatten() for p in learner.parameters]))
    tiny.model.zero_grad()
    values = torch.tensor(rewards, dtype=torch.float64)
    advantages = ((values - values.mean()) / values.std(correction=0)).tolist()
    loss = torch.zeros(())
    for calls, advantage in zip(observed, advantages, strict=True):
        tokens = sum(len(completion.ids) for _, completion in calls)
        for prompt, completion in calls:
            chosen = recomputed(tiny.model, prompt, completion.ids, 1.5)
            loss = loss - advantage * chosen.sum() / tokens / 3
    loss.backward()
    target = torch.cat([p.grad.flatten() for p in learner.parameters])
    tiny.model.zero_grad()
    for gradient in gradients:
        assert (gradient - target).norm() < 1e-3 * target.norm()


def test_values_of_ppo_are_of_the_true_context_too(echo, tiny):
    import torch

    from zerogym.agents.llm.grpo_config import GRPOConfig
    from zerogym.agents.llm.learner.packing import packed_attention
    from zerogym.agents.llm.learner.ppo import PPOLearner
    from zerogym.agents.llm.learner.rows import Rows

    records, observed = played(echo, tiny, Truncate())
    flats = [record.flatten() for record in records]
    rows = Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])
    learner = PPOLearner(tiny.model, GRPOConfig(preset="ppo", packing=True))
    torch.nn.init.normal_(learner.head.linear.weight, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        with packed_attention(tiny.model):
            packed = learner._values(rows)
        learner.packed = False
        apart = learner._values(rows)
        expected_value = []
        for prompt, completion in itertools.chain(*observed):
            ids = torch.tensor([[*prompt, *completion.ids]])
            features = tiny.model.model(ids).last_hidden_state[0, len(prompt) - 1 : -1]
            expected_value += learner.head(features).tolist()
    for values in (packed, apart):
        assert values[rows.mask == 1].tolist() == pytest.approx(expected_value, abs=1e-4)
        assert (values[rows.mask == 0] == 0).all()


def test_every_name_has_a_policy():
    assert {name: CONTEXTS[name].__name__.lower() for name in CONTEXTS} == {
        name: name for name in ("stop", "truncate", "summarise", "markovian")
    }


def test_settings_of_a_context_come_from_those_of_a_run():
    """On the command line `--context markovian --context.carry 8`; older runs have a name alone."""
    config = build(GRPOConfig, {"context": "markovian", "context.carry": "8"})
    assert player_of(config, None, 0).context == Markovian(carry=8, chunks=5)  # type: ignore[arg-type]
    assert GRPOConfig(**json.loads(json.dumps(config.record()))) == config
    old = json.loads(json.dumps(GRPOConfig(context="markovian").record()))
    same = GRPOConfig(context=Markovian())
    check_same_settings(same, old, Path("run"))
    with pytest.raises(ValueError, match="had other settings: context"):
        check_same_settings(config, old, Path("run"))
    with pytest.raises(UsageError, match="Markovian: chunks must be >= 1, got 0"):
        build(GRPOConfig, {"context": "markovian", "context.chunks": "0"})


def test_a_context_of_ones_own_that_fails_is_named(echo):
    @dataclass(frozen=True)
    class Forgetful(Stop):
        def observe(self, talk, text, room):
            if talk is None:
                return super().observe(talk, text, room)
            raise KeyError(text)

    engine = Scripted(word, context_length=100)
    with pytest.raises(PartFailed, match=r"Forgetful raised KeyError: .*test_context_window.py"):
        rollout(echo, [0], Player(engine, Sampling(4), context=Forgetful()))
