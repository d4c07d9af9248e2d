"""The office: its map, its missions against a search by hand, and skill machines in it."""

from collections import deque
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.agents.zero_shot.prompts.skill_machine import Skills
from zerogym.envs.control.gridworlds.office import MISSIONS, START, cells_of_rooms
from zerogym.envs.control.tabular.dynamic_programming import value_iteration
from zerogym.envs.control.tabular.features import StateReward
from zerogym.envs.control.temporal.labelling import label_of
from zerogym.envs.control.temporal.missions import sequence_machine
from zerogym.envs.control.temporal.reward_machines import in_order, machine_of_formula
from zerogym.errors import UnknownName
from zerogym.wrappers.rewards.reward_machine import RewardMachineWrapper

# The published map in its own coordinates: (x, y) from 0 at the bottom left.
THINGS = {
    "a": [(1, 1)], "b": [(1, 7)], "c": [(10, 7)], "d": [(10, 1)], "mail": [(7, 4)],
    "coffee": [(8, 2), (3, 6)], "office": [(4, 4)],
    "decoration": [(4, 1), (7, 1), (4, 7), (7, 7), (1, 4), (10, 4)],
}  # fmt: skip
WAYS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}
NEEDS = {  # what must have been done before, and what must be done in the end
    "coffee": ({"coffee": set(), "office": {"coffee"}}),
    "mail": ({"mail": set(), "office": {"mail"}}),
    "coffee_and_mail": ({"coffee": set(), "mail": set(), "office": {"coffee", "mail"}}),
    "patrol": ({"a": set(), "b": {"a"}, "c": {"b"}, "d": {"c"}}),
}


make = partial(bare, "Office")


def number(x: int, y: int) -> int:
    return cells_of_rooms().index((9 - y, x + 1))


def has_door(x: int, y: int, way: str) -> bool:
    """Return True if a step is possible by the rule of the published map."""
    to_x, to_y = x + WAYS[way][0], y + WAYS[way][1]
    if not (0 <= to_x < 12 and 0 <= to_y < 9):
        return False
    if to_x // 3 != x // 3:
        return y in (1, 7)
    if to_y // 3 != y // 3:
        return x in ((1, 4, 7, 10) if {y, to_y} == {5, 6} else (1, 10))
    return True


def go(x: int, y: int, way: str) -> tuple[int, int]:
    return (x + WAYS[way][0], y + WAYS[way][1]) if has_door(x, y, way) else (x, y)


def shortest(mission: str, start: tuple[int, int]) -> int:
    """Steps of the shortest way, by a search that knows nothing of machines."""
    needs = NEEDS[mission]
    at = {place: name for name, places in THINGS.items() for place in places}
    queue, observed = deque([(start, frozenset(), 0)]), {(start, frozenset())}
    while queue:
        (x, y), done, steps = queue.popleft()
        for place in [(x, y), *(go(x, y, way) for way in WAYS)]:
            thing = at.get(place)
            if thing == "decoration":
                continue
            after = done | {thing} if thing in needs and needs[thing] <= done else done
            if after == set(needs):
                return steps + 1
            if (place, after) not in observed:
                observed.add((place, after))
                queue.append((place, after, steps + 1))
    raise AssertionError("no way")


def test_the_map_is_the_published_one() -> None:
    env = make(mission=None)
    assert env.num_states == 108 and env.observation_space.shape == (108,)
    for name, places in THINGS.items():
        assert sorted(np.flatnonzero(env.holds[name])) == sorted(number(*p) for p in places)
    assert set(env.holds) == set(THINGS)
    for x in range(12):
        for y in range(9):
            here = number(x, y)
            assert env.next_state[here, 0] == here
            for action, way in enumerate(WAYS, start=1):
                assert env.next_state[here, action] == number(*go(x, y, way))
    assert cells_of_rooms()[env.mdp.starts[0]] == START == (9 - 1, 2 + 1)


@pytest.mark.parametrize("mission", list(MISSIONS))
def test_the_oracle_takes_the_shortest_way_from_everywhere(mission: str) -> None:
    env = make(mission=mission, task="mission")
    for x, y in [(2, 1), (0, 0), (11, 8), (4, 4), (8, 2), (7, 4), (1, 4), (5, 3)]:
        episode = play(env, "oracle", start=(9 - y, x + 1))
        assert episode.terminated and episode.total == 1.0 and episode.info["success"]
        assert len(episode.rewards) == shortest(mission, (x, y))


def test_the_values_of_the_product_are_those_of_the_search() -> None:
    env = make(mission="coffee_and_mail", task="mission")
    env.reset(seed=0)
    values, _ = value_iteration(env.next_state, env.R, 0.99)
    for x in range(0, 12, 2):
        for y in range(9):
            steps = shortest("coffee_and_mail", (x, y))
            assert values[number(x, y)] == pytest.approx(0.99 ** (steps - 1), abs=1e-8)


@pytest.mark.parametrize(
    ("mission", "formula"),
    [
        ("coffee", "!decoration U (coffee & X (!decoration U office))"),
        ("patrol", "!decoration U (a & X (!decoration U (b & X (!decoration U (c & X "
                   "(!decoration U d))))))"),
        ("coffee_and_mail", "(!decoration U (coffee & X (!decoration U (mail & X (!decoration U "
                            "office))))) | (!decoration U (mail & X (!decoration U (coffee & X "
                            "(!decoration U office)))))"),
    ],
)  # fmt: skip
def test_a_mission_is_a_formula(mission: str, formula: str) -> None:
    """Rules and the equivalent formula give equal rewards for random single events."""
    rng = np.random.default_rng(0)
    names = [name for name in THINGS if name != "decoration"]
    drawn = np.where(rng.random((2000, 60)) < 0.01, "decoration", rng.choice(names, (2000, 60)))
    holds = {name: drawn == name for name in THINGS}
    machines = MISSIONS[mission], machine_of_formula(formula)
    received = [machine.run_all(machine.label(holds))[1] for machine in machines]
    np.testing.assert_array_equal(*received)
    assert 500 < received[0].sum() < 2000


def test_a_broken_decoration_ends_it_without_reward() -> None:
    env = make(mission="coffee", task="mission")
    env.reset(options={"start": (8, 4)})
    _, reward, terminated, truncated, info = env.step(2)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["event"] == "decoration" and not info["success"]
    with pytest.raises(RuntimeError, match="the episode is over"):
        env.step(0)
    env.reset(options={"start": (8, 5)})
    assert not env.step(1)[2], "the start is not entered"


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_stored_episodes_get_the_live_rewards(library: str) -> None:
    """1,000 episodes of 100 steps in the product, relabelled by the machine alone."""
    machine = in_order("coffee", "office")
    env, rng = make(mission=machine, task="mission"), np.random.default_rng(0)
    batch = env.batched(1000)
    batch.reset(seed=0, starts=rng.integers(108, size=1000))
    before, after, streamed, over = [], [], [], []
    for _ in range(100):
        before.append(batch.states % 108)
        step = batch.step(rng.integers(5, size=1000))
        after.append(step.entered % 108)
        streamed.append(step.rewards)
        over.append(step.terminated)
    first = np.cumsum(over, axis=0) - over == 0  # (T, N): still in the first episode
    obs, next_obs = (np.eye(108, dtype=np.float32)[np.array(each).T] for each in (before, after))
    if library == "torch":
        obs, next_obs = torch.from_numpy(obs), torch.from_numpy(next_obs)
    states, rewards = machine.run_all(label_of(machine, env.events, obs, None, next_obs))
    assert rewards.shape == (1000, 100) and states.shape == (1000, 101)
    np.testing.assert_array_equal(np.asarray(rewards)[first.T], np.array(streamed).T[first.T])
    assert 20 < np.array(streamed)[first].sum() < 500


@pytest.mark.parametrize("mission", [*MISSIONS, "F (mail & X F office) & G !decoration"])
def test_a_transition_gets_the_reward_of_the_model(mission: str) -> None:
    """Check every transition of the product, which contains all rewards of the mission."""
    env = make(mission=mission, task="mission")
    task, (obs, action, next_obs) = env.tasks["mission"], env.mdp.transitions()
    table = env.reward_of(task).ravel()
    alive = ~env.machine.over[obs[:, 108:].argmax(1)]
    np.testing.assert_array_equal(task.relabel(obs, action, next_obs)[alive], table[alive])
    tensors = (torch.from_numpy(obs.copy()), None, torch.from_numpy(next_obs.copy()))
    np.testing.assert_array_equal(task.relabel(*tensors).numpy()[alive], table[alive])
    entered = next_obs[:, :108].argmax(1)  # the rewarded place: the office, or d
    last = env.holds["d" if mission == "patrol" else "office"]
    assert table.max() == 1.0 and last[entered[table == 1.0]].all()


def test_composed_skills_are_the_values_of_value_iteration() -> None:
    """OR, AND and NOT of world value functions, against a new value iteration for each."""
    env = make(mission=None)
    skills = Skills(env.next_state, env.holds, gamma=0.9)
    rng = np.random.default_rng(0)
    free = ~env.holds["decoration"]
    for _ in range(4):
        one, other = rng.random((2, 108)) < 0.2
        p, q = (skills.reaching(each, free) for each in (one, other))
        for skill, places in (
            (p | q, one | other),
            (p & q, one & other),
            (~p, ~one),
            (~(p | ~q) & p | q, (~(one | ~other) & one) | other),
        ):
            np.testing.assert_allclose(skill.values, reached(env, places, free, 0.9), atol=1e-9)


def reached(env: Any, target: np.ndarray, free: np.ndarray, gamma: float) -> np.ndarray:
    """Return values (S, A) of reaching target places; these, and blocked ones, are absorbing.

    The reward is for entering, so a target may also be the start.
    """
    states = len(target)
    ends = target[env.next_state] | ~free[env.next_state]
    after = np.concatenate([np.where(ends, states, env.next_state), np.full((1, 5), states)])
    received = np.concatenate([target[env.next_state], np.zeros((1, 5), bool)]).astype(float)
    values, _ = value_iteration(after, received, gamma)
    return (received + gamma * values[after])[:states]


def ways(mission: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps from every cell, of the skill machine and of the shortest way; (108,) each."""
    env = make(mission=mission, task="mission")
    env.reset(seed=0)
    skills = Skills(env.place_mdp.outcomes[:, :, 0], env.holds)
    _, best = value_iteration(env.next_state, env.R, 0.99)
    return tuple(  # type: ignore[return-value]
        np.array([walk(env, policy, start) for start in range(108)])
        for policy in (skills.policy(env.machine).ravel(), best)
    )


def walk(env: Any, policy: np.ndarray, state: int) -> int:
    for steps in range(1, 101):
        before, state = state, env.next_state[state, policy[state]]
        if state in env.mdp.terminal:
            assert env.mdp.mission.reward[before // 108, state % 108] == 1.0
            return steps
    raise AssertionError("not done")


def test_a_skill_machine_does_every_mission_and_some_on_the_shortest_way() -> None:
    for mission in ("mail", "patrol"):  # one place for each errand: nothing to choose
        np.testing.assert_array_equal(*ways(mission))
    composed, best = ways("coffee")  # it goes to the nearest coffee, not to that near the office
    assert (composed >= best).all() and (composed > best).sum() == 41
    assert (composed[number(2, 1)], best[number(2, 1)]) == (31, 15)
    composed, best = ways("coffee_and_mail")
    assert (composed >= best).all() and (composed > best).sum() == 32


def test_a_machine_in_a_wrapper_gives_the_same_rewards() -> None:
    inside = make(mission="coffee", task="mission")
    outside = RewardMachineWrapper(
        gym.make("zerogym/Office-v0", task=None, mission=None), MISSIONS["coffee"]
    )
    for world in (inside, outside):
        world.reset(seed=0)
    over = False
    while not over:
        action = inside.oracle_action()
        steps = [world.step(action) for world in (inside, outside)]
        np.testing.assert_array_equal(steps[0][0], steps[1][0])
        assert steps[0][1:4] == steps[1][1:4]
        over = steps[0][2]
    with pytest.raises(UnknownName, match=r"no event 'x'\. Known: a, b"):
        RewardMachineWrapper(gym.make("zerogym/Office-v0", task=None), in_order("x"))


def test_errands_in_any_order_share_their_states() -> None:
    machine = sequence_machine("x", "abc", "abc", "bac")
    assert len(machine) == 5
    assert (
        machine.step(machine.step(0, 0b01)[0], 0b10)[0]
        == machine.step(machine.step(0, 0b10)[0], 0b01)[0]
    )


def test_the_office_in_words() -> None:
    env = make(mission="mail", task="mission", view="text")
    said, info = env.reset(options={"start": (5, 9)})
    assert said.startswith("Get the mail and bring it to the office; break no decoration.\n")
    assert info["mission"] == MISSIONS["mail"].text
    said, *_, info = env.step("<answer>left</answer>")
    assert said == "You are at row 5, column 8. Here: mail. Open: up, right, down, left."
    assert info["machine_state"] == 1 and info["event"] == "mail"


def test_a_goal_is_a_cell_whatever_is_remembered() -> None:
    env = make(mission="mail", task=(5, 8))
    env.reset(options={"start": (5, 9)})
    _, reward, *_, info = env.step(4)
    assert reward == 1.0 and isinstance(env._episode.task.reward, StateReward)
    assert info["machine_state"] == 1


@pytest.mark.parametrize("table", [np.array([[0, -1], [1, 0]]), np.array([[2, 0], [1, 0]])])
def test_skills_of_no_world_are_refused(table: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"must be \(S, A\) places"):
        Skills(table, {"a": np.array([True, False])})
    with pytest.raises(ValueError, match=r"gamma must lie in \(0, 1\), got 1"):
        Skills(np.array([[0, 1], [1, 0]]), {"a": np.array([True, False])}, 1)
