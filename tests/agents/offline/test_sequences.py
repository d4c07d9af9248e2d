"""Decision transformers: causality, frequencies by counting, budgets, histories, bad input."""

import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import zerogym  # noqa: E402, F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel  # noqa: E402
from zerogym.agents.core import Policy  # noqa: E402
from zerogym.agents.datasets.dataset import Dataset, collect  # noqa: E402
from zerogym.agents.offline import (  # noqa: E402
    DecisionTransformer,
    SequenceConfig,
    Transitions,
    relabelled,
)
from zerogym.agents.offline.sequences.model import SequenceModel, SequenceShape  # noqa: E402
from zerogym.agents.offline.sequences.windows import steps_of, times_of, to_go  # noqa: E402

SMALL: dict[str, Any] = {"context": 2, "width": 16, "heads": 2, "layers": 1, "lr": 1e-2}


def trajectories(paths: list[list[tuple[Any, ...]]], states: int) -> Transitions:
    """Paths of steps (state, action, reward, cost), with one-hot states."""
    eye, steps = torch.eye(states), [step for path in paths for step in path]
    s, a, r, c = (torch.tensor(column) for column in zip(*steps, strict=True))
    stops = np.cumsum([len(path) for path in paths]) - 1
    ends = torch.tensor(np.repeat(stops, [len(path) for path in paths]))
    return Transitions(eye[s], a, r.float(), eye[s.roll(-1)], torch.ones(len(s)), ends, c.float())


# A tree: action 0 or 1 at the root leads to state 1 or 2, whose actions end it.
TREE = [
    path
    for count, path in (
        (3, [(0, 0, 0.0, 0.0), (1, 0, 1.0, 0.0)]), (1, [(0, 0, 0.0, 0.0), (1, 1, 3.0, 1.0)]),
        (2, [(0, 0, 0.0, 0.0), (1, 1, 1.0, 0.0)]), (4, [(0, 1, 1.0, 0.0), (2, 0, 0.0, 1.0)]),
        (1, [(0, 1, 1.0, 0.0), (2, 1, 2.0, 0.0)]), (1, [(0, 1, 1.0, 0.0), (2, 0, 2.0, 0.0)]),
    )
    for _ in range(count)
]  # fmt: skip


def contexts() -> dict[tuple[Any, ...], Counter[int]]:
    """Counts of actions after each context of at most two steps, in plain loops."""
    found: dict[tuple[Any, ...], Counter[int]] = defaultdict(Counter)
    for path in TREE:
        (s, a, r, _), (after, b, last, _) = path
        found[(0, r + last, s)][a] += 1
        found[(0, r + last, s, a, last, after)][b] += 1
        found[(1, last, after)][b] += 1  # of the window that begins at the second step
    return found


def test_it_fits_the_conditional_frequencies_of_actions_given_returns() -> None:
    data = trajectories(TREE, 3)
    agent = DecisionTransformer(SequenceConfig(batch_size=24, **SMALL), data)
    found = agent.learn(data, 200)
    counts = contexts()
    whole = sum(sum(one.values()) for one in counts.values())
    assert whole == 36
    entropy = -sum(
        n * math.log(n / sum(one.values())) for one in counts.values() for n in one.values()
    )
    assert found["loss/actor"] == pytest.approx(entropy / whole, abs=1e-3)
    mixed = 0
    for (time, first, state, *more), one in counts.items():
        conditions, states = [first, *more[1:2]], [state, *more[2:3]]
        with torch.no_grad():
            logits = agent.model(
                torch.tensor(conditions)[None, :, None],
                torch.eye(3)[states][None],
                torch.tensor([[*more[:1], 0]] if more else [[0]]),
                torch.tensor([[time, time + 1][: len(states)]]),
            )[0, -1]
        share = one[0] / sum(one.values())
        mixed += 0 < share < 1
        assert float(logits.softmax(0)[0]) == pytest.approx(share, abs=0.01)
    assert mixed >= 4


def test_continuous_actions_are_conditional_means() -> None:
    paths = [[(0, 0, r, 0.0)] for r in (1.0, 1.0, 0.0, 0.0)]
    data = trajectories(paths, 1)._replace(
        actions=torch.tensor([[0.2, 0.5], [0.6, -0.1], [-0.7, 0.0], [-0.5, 0.3]])
    )
    agent = DecisionTransformer(SequenceConfig(**SMALL), data)
    agent.learn(data, 200)
    for target, mean in ((1.0, [0.4, 0.2]), (0.0, [-0.6, 0.15])):
        policy = agent.policy(target, lambda *_: np.zeros(1))
        assert policy.predict(np.ones((1, 1)))[0][0] == pytest.approx(mean, abs=0.01)


@pytest.mark.parametrize("discrete", [True, False])
def test_later_tokens_leave_earlier_outputs_bit_equal(discrete: bool) -> None:
    draw = torch.Generator().manual_seed(1)
    torch.manual_seed(0)
    model = SequenceModel(SequenceShape(3, 4, discrete, 2, 6, 8, 2, 2))

    def inputs() -> list[Any]:
        conditions = torch.randn(2, 6, 2, generator=draw)
        observations = torch.randn(2, 6, 3, generator=draw)
        actions = (
            torch.randint(4, (2, 6), generator=draw)
            if discrete
            else torch.randn(2, 6, 4, generator=draw)
        )
        return [conditions, observations, actions, torch.arange(6).expand(2, 6)]

    first, other = inputs(), inputs()
    with torch.no_grad():
        out = model(*first)
        for t in range(6):
            mixed = [
                torch.cat([a[:, : t + 1], b[:, t + 1 :]], 1)
                for a, b in zip(first, other, strict=True)
            ]
            mixed[2] = torch.cat([first[2][:, :t], other[2][:, t:]], 1)
            changed = model(*mixed)
            assert torch.equal(changed[:, : t + 1], out[:, : t + 1]), "nor does its own action"
            assert t == 5 or not torch.equal(changed[:, t + 1], out[:, t + 1])
        for place in range(2):  # each earlier step and each condition does
            bumped = [one.clone() for one in first]
            bumped[0][:, 0, place] += 1
            assert not torch.equal(model(*bumped)[:, 5], out[:, 5])


def test_returns_to_go_and_windows_are_their_loops() -> None:
    data = trajectories([TREE[0] + TREE[3], TREE[7], TREE[10][:1]], 3)
    assert data.ends is not None and data.ends.tolist() == [3] * 4 + [5] * 2 + [6]
    r, c = data.rewards.tolist(), data.costs.tolist()
    ends = data.ends.tolist()
    assert to_go(data.rewards, data.ends).tolist() == [sum(r[i : ends[i] + 1]) for i in range(7)]
    assert times_of(data.ends).tolist() == [0, 1, 2, 3, 0, 1, 0]
    steps = steps_of(data, constrained=True)
    assert steps.conditions[:, 1].tolist() == [sum(c[i : ends[i] + 1]) for i in range(7)]
    found = steps.windows(torch.tensor([1, 5]), 4)
    assert found.present.tolist() == [[True, True, True, False], [True, False, False, False]]
    assert found.times[0, :3].tolist() == [1, 2, 3]
    assert torch.equal(found.observations[0, :3], data.observations[1:4])
    assert torch.equal(found.actions[0, :3], data.actions[1:4])


# Both ways bring 1; the short one costs 1 at its second step, and most of the data take it.
WAYS = [[(0, 0, 0.0, 0.0), (1, 0, 1.0, 1.0)]] * 8 + [[(0, 1, 0.0, 0.0), (2, 0, 1.0, 0.0)]] * 2


def play(agent: DecisionTransformer, budget: float | None) -> float:
    """The cost of an episode in the world of two ways, whose last step costs in state 1."""

    def rewards(obs: Any, *_: Any) -> Any:
        return 1.0 - obs[:, 0]

    def costs(obs: Any, *_: Any) -> Any:
        return obs[:, 1]

    more = {} if budget is None else {"budget": budget, "costs": costs}
    policy = agent.policy(1.0, rewards, **more)
    (act,), state = policy.predict(np.eye(3)[:1], deterministic=True)
    place = np.eye(3)[[1 if act == 0 else 2]]
    policy.predict(place, state, deterministic=True)
    return float(costs(place)[0])


def test_a_budget_is_kept_where_return_alone_is_not_enough() -> None:
    data = trajectories(WAYS, 3)
    plain = DecisionTransformer(SequenceConfig(**SMALL), data)
    constrained = DecisionTransformer(SequenceConfig(constrained=True, **SMALL), data)
    for agent in (plain, constrained):
        agent.learn(data, 60)
    assert play(plain, None) == 1.0
    assert play(constrained, 0.0) == 0.0
    assert play(constrained, 1.0) == 1.0


def test_histories_take_off_what_came_and_forget_what_is_beyond_the_context() -> None:
    path = [(0, 1, 0.5, 1.0), (1, 0, 2.0, 0.0), (2, 1, 0.25, 1.0), (1, 1, 4.0, 0.0)]
    data = trajectories([path], 3)
    agent = DecisionTransformer(SequenceConfig(constrained=True, **SMALL), data)
    rows, steps = data.observations.numpy(), steps_of(data, constrained=True)
    now = 0

    def at(column: int) -> Any:
        return lambda *_: np.array([path[now - 1][column]])

    policy = agent.policy(6.75, at(2), 2.0, at(3))
    assert isinstance(policy, Policy)
    state: Any = None
    for now, (_, act, *_) in enumerate(path):
        both, early = np.repeat(rows[now : now + 1], 2, 0), max(0, now - 1)
        if state is not None:
            assert state[0].time == max(0, now - 2)
        _, state = policy.predict(both, state and [state[0], state[0]], [False, True])
        fresh = agent.policy(6.75, at(2), 2.0, at(3)).predict(both[:1])[1][0]
        assert state[1].conditions == fresh.conditions and state[1].time == 0
        window = steps.windows(torch.tensor([early]), now + 1 - early)
        kept = state[0]
        assert kept.conditions == tuple(map(tuple, window.conditions[0].tolist()))
        with torch.no_grad():
            expected = agent.model(*window[:4])[0, -1].numpy()
        assert policy._outputs([kept._replace(actions=kept.actions[:-1])])[0] == pytest.approx(
            expected, abs=1e-6
        )
        state = [kept._replace(actions=(*kept.actions[:-1], act))]


def test_samples_have_the_probabilities() -> None:
    data = trajectories(TREE, 3)
    agent = DecisionTransformer(SequenceConfig(**SMALL), data)
    agent.learn(data, 20)
    policy = agent.policy(1.0, lambda *_: np.zeros(1))
    row = np.eye(3)[:1]
    outputs = policy._outputs(policy.predict(row)[1])[0]
    share = 1 / (1 + math.exp(outputs[0] - outputs[1]))
    drawn, _ = policy.predict(np.repeat(row, 5000, 0))
    assert drawn.mean() == pytest.approx(share, abs=4 * math.sqrt(0.25 / 5000))
    assert policy.predict(row, deterministic=True)[0][0] == outputs.argmax()


def test_equal_seeds_give_equal_agents_and_files_act_the_same(tmp_path: Path) -> None:
    env = gym.make("zerogym/UMap-v0")
    world: Any = env.unwrapped
    task = next(iter(world.tasks.values()))
    data = relabelled(collect(env, 120), task, costs=lambda obs, act, after: obs[:, 0])
    assert data.costs is not None
    assert data.costs.tolist() == data.observations[:, 0].tolist()
    agents, found = [], []
    for seed in (0, 0, 1):
        agent = DecisionTransformer(SequenceConfig(seed=seed, **SMALL), data)
        torch.rand(seed + 3)  # what others draw changes nothing
        found.append(agent.learn(data, 4))
        agents.append(agent)
    assert found[0] == found[1] != found[2]
    agents[0].save(tmp_path / "agent")
    loaded = DecisionTransformer.load(tmp_path / "agent")
    assert loaded.config == agents[0].config
    actions = []
    for agent in (agents[0], agents[1], loaded):
        policy, state, (row, _) = agent.policy(3.0, task), None, env.reset(seed=1)
        for _ in range(6):
            (act,), state = policy.predict(row[None], state)
            row = env.step(act)[0]
            actions.append(int(act))
    assert actions[:6] == actions[6:12] == actions[12:]
    record = json.loads((tmp_path / "agent" / "config.json").read_text())
    for key, value in (("format", "other"), ("config", {"context": 0}), ("shape", {})):
        (tmp_path / "agent" / "config.json").write_text(json.dumps({**record, key: value}))
        with pytest.raises(NotAModel):
            DecisionTransformer.load(tmp_path / "agent")


def test_bad_input_has_one_line() -> None:
    data = trajectories(TREE, 3)
    for settings, error, word in (
        ({"context": 0}, ValueError, "context"), ({"lr": 0.0}, ValueError, "lr"),
        ({"constrained": 1}, TypeError, "constrained"),
        ({"width": 10, "heads": 3}, ValueError, "multiple"),
    ):  # fmt: skip
        with pytest.raises(error, match=word):
            SequenceConfig(**settings)
    with pytest.raises(ValueError, match="where trajectories end"):
        DecisionTransformer(SequenceConfig(**SMALL), data._replace(ends=None))
    with pytest.raises(ValueError, match="no costs"):
        DecisionTransformer(SequenceConfig(constrained=True), data._replace(costs=None))
    with pytest.raises(ValueError, match="from 0 to 0"):
        DecisionTransformer(SequenceConfig(**SMALL), data, actions=1)
    agent = DecisionTransformer(SequenceConfig(**SMALL), data)
    with pytest.raises(ValueError, match="the data have"):
        agent.learn(trajectories(TREE, 4), 1)

    def zero(*_: Any) -> Any:
        return np.zeros(1)

    for arguments, word in (
        ((1.0, zero, 1.0, zero), "neither"), ((1.0, zero, 1.0), "neither"),
        ((math.nan, zero), "finite"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=word):
            agent.policy(*arguments)
    constrained = DecisionTransformer(SequenceConfig(constrained=True, **SMALL), data)
    with pytest.raises(ValueError, match="a budget and costs"):
        constrained.policy(1.0, zero)
    policy = agent.policy(1.0, zero)
    with pytest.raises(ValueError, match=r"\(B, 3\)"):
        policy.predict(np.zeros(3))
    with pytest.raises(ValueError, match="histories of 1"):
        policy.predict(np.eye(3)[:2], policy.predict(np.eye(3)[:1])[1])
    flat = Dataset(np.zeros((3, 2), np.float32), np.arange(3), np.ones((3, 2), np.float32))
    with pytest.raises(ValueError, match="shape"):
        relabelled(flat, lambda *_: np.arange(3.0), costs=lambda *_: np.ones(2))
