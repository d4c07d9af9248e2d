"""Many finite worlds at once: step for step what the single ones do, in both libraries."""

from typing import Any

import numpy as np
import pytest
import torch

from helpers.control.worlds import bare

CASES: list[tuple[str, dict[str, Any]]] = [
    ("FourRooms", {"task": "goal_7_7"}),
    ("FourRooms", {"task": "goal_4_2", "ends_at_goal": True, "horizon": 20}),
    ("UMap", {"task": "smooth_3"}),
    ("FourRooms", {"layout": "four_rooms_13", "task": "goal_penalty_0"}),
    ("DarkRoomHard", {"task": "goal_9_11"}),
    ("Chain", {"task": "far_end"}),
    ("TMaze", {"task": "treasure", "length": 3, "horizon": 12}),
    ("TMaze", {}),
]
RANDOM: list[tuple[str, dict[str, Any]]] = [
    ("SlipperyGrid", {"task": "goal_penalty_1"}),
    ("OpenGrid", {"slip": 1.0, "task": "goal_5_5", "ends_at_goal": True}),
    ("RiverSwim", {"task": "far_end"}),
]


def put(env: Any, state: int) -> None:
    """Begin an episode of a single world in a state."""
    env.reset()
    env._episode.state = int(state)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(("name", "kwargs"), CASES, ids=str)
def test_each_row_is_a_single_world(name: str, kwargs: Any, library: Any) -> None:
    n, rng = 8, np.random.default_rng(0)
    singles = [bare(name, **kwargs) for _ in range(n)]
    batch = bare(name, **kwargs).batched(n, library)
    states = batch.reset(seed=0)
    assert {int(state) for state in states} <= set(batch.mdp.starts)
    for single, state in zip(singles, states, strict=True):
        put(single, state)
    over, ends = np.zeros(n, dtype=bool), 0
    for _ in range(70):
        actions = rng.integers(len(batch.mdp.outcomes[0]), size=n)
        steps = batch.step(torch.tensor(actions) if library == "torch" else actions)
        observed = batch.observe()
        for row, single in enumerate(singles):
            _, reward, terminated, truncated, _ = single.step(actions[row])
            assert single._episode.state == int(steps.entered[row])
            found = steps.rewards[row], steps.terminated[row], steps.truncated[row]
            assert (reward, terminated, truncated) == tuple(value.item() for value in found)
            over[row] = terminated or truncated
            if over[row]:
                ends += 1
                put(single, batch.states[row])
            np.testing.assert_array_equal(observed[row], single._observe())
    assert ends >= n
    assert steps.rewards.dtype == (torch.float64 if library == "torch" else np.float64)


@pytest.mark.parametrize(("name", "kwargs"), RANDOM, ids=str)
def test_a_batch_of_one_draws_what_the_single_world_draws(name: str, kwargs: Any) -> None:
    single, batch, rng = bare(name, **kwargs), bare(name, **kwargs).batched(1), None
    rng = np.random.default_rng(0)
    batch.reset(seed=4)
    put(single, batch.states[0])
    slips = 0
    for _ in range(300):
        single.np_random.bit_generator.state = batch._rng.bit_generator.state
        action = int(rng.integers(len(batch.mdp.outcomes[0])))
        before = single._episode.state
        steps = batch.step(np.array([action]))
        _, reward, terminated, truncated, _ = single.step(action)
        assert (single._episode.state, reward) == (steps.entered[0], steps.rewards[0])
        assert (terminated, truncated) == (steps.terminated[0], steps.truncated[0])
        slips += single._episode.state != batch.mdp.outcomes[before, action, 0]
        if terminated or truncated:
            put(single, batch.states[0])
    assert slips > 20


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(("name", "kwargs"), RANDOM, ids=str)
def test_random_rows_follow_the_chances(name: str, kwargs: Any, library: Any) -> None:
    n, env = 20_000, bare(name, **kwargs)
    batch = env.batched(n, library)
    for state, action in ((1, 1), (3, 1), (env.num_states - 1, 1)):
        batch.reset(seed=state, starts=np.full(n, state))
        steps = batch.step(torch.full((n,), action) if library == "torch" else np.full(n, action))
        share = np.bincount(np.asarray(steps.entered), minlength=env.num_states) / n
        chances = env.P[state, action]
        np.testing.assert_array_less(
            np.abs(share - chances), 4.5 * np.sqrt(chances * (1 - chances) / n) + 1e-9
        )
        mean = float(steps.rewards.mean())
        assert mean == pytest.approx(env.reward_of(env._task)[state, action], abs=0.03)


def test_starts_are_spread_as_in_single_worlds() -> None:
    batch = bare("FourRooms").batched(40_000)
    counts = np.bincount(batch.reset(seed=0), minlength=40)
    assert (np.abs(counts - 1000) < 5 * np.sqrt(1000)).all()
    signs = np.bincount(bare("TMaze").batched(1000).reset(seed=0))
    assert np.count_nonzero(signs) == 2 and abs(signs[1] - 500) < 80


def test_arrays_that_were_returned_do_not_change() -> None:
    batch = bare("TMaze", task="treasure", length=2).batched(100)
    given = np.full(100, 1, dtype=np.int8)
    states = batch.reset(seed=0, starts=given)
    kept, copies = [states], [states.copy()]
    given[:] = 2
    for _ in range(50):
        steps = batch.step(batch.random_actions())
        kept += [*steps, batch.states]
        copies += [value.copy() for value in kept[-5:]]
    for one, other in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(one, other)
    steps.terminated[:] = True
    fresh = bare("FourRooms").batched(3)
    fresh.reset(seed=0)
    fresh.step(np.zeros(3, dtype=int)).terminated[:] = True
    assert not fresh.step(np.zeros(3, dtype=int)).terminated.any()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"])
def test_integers_of_any_kind_are_taken(kind: str, library: Any) -> None:
    batch = bare("DarkRoomHard", task="goal_1_1").batched(2, library)  # 289 states: more than int8
    wrap = torch.from_numpy if library == "torch" else np.asarray
    batch.reset(starts=wrap(np.array([5, 100], dtype=kind)))
    assert batch.step(wrap(np.array([1, 2], dtype=kind))).entered.tolist() == [5, 101]
    with pytest.raises(ValueError, match="actions must be 2 integers from 0 to 4"):
        batch.step(wrap(np.array([1, 5], dtype=kind)))


def test_bad_batches_are_refused_in_words() -> None:
    env = bare("FourRooms")
    with pytest.raises(ValueError, match="'random_goal' draws a task for each episode"):
        bare("FourRooms", task="random_goal").batched(2)
    with pytest.raises(ValueError, match="starts must be 2 integers from 0 to 39"):
        env.batched(2).reset(starts=np.array([0, 40]))
