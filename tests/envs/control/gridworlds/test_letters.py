"""Letters: drawn missions, their oracle by another search, and skill machines on a hundred."""

import pickle
from collections import deque
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.agents.zero_shot.prompts.skill_machine import Skills
from zerogym.envs.control.gridworlds.letter_formulas import (
    HELD_OUT,
    LETTERS,
    SPLITS,
    draw_mission,
    machine_of,
)
from zerogym.envs.control.gridworlds.letter_level import PLACES, draw_level, holds_of, torus
from zerogym.envs.control.temporal import ltlf

make = partial(bare, "Letters")


def shortest(formula: str, holds: dict[str, np.ndarray], start: int) -> int:
    """Steps until the formula holds, by progression of the whole of it: no machine, no product."""
    table = torus().outcomes[:, :, 0]
    at = {cell: letter for letter, cells in holds.items() for cell in np.flatnonzero(cells)}
    begin = (start, ltlf.start(ltlf.parse(formula)))
    queue, met = deque([(begin, 0)]), {begin}
    while queue:
        (cell, duties), steps = queue.popleft()
        for to in set(table[cell].tolist()):
            after = ltlf.progress(duties, frozenset(at.get(to, "")))
            if ltlf.satisfied(after):
                return steps + 1
            if (to, after) not in met:
                met.add((to, after))
                queue.append(((to, after), steps + 1))
    raise AssertionError(f"nothing satisfies {formula}")


def test_missions_are_of_their_split() -> None:
    drawn = {
        split: [draw_mission(np.random.default_rng(n), split) for n in range(120)]
        for split in SPLITS
    }
    for split, missions in drawn.items():
        assert {mission.kind for mission in missions} == {"order", "avoid", "never"}
        for mission in missions:
            formula = ltlf.parse(mission.formula)
            letters = ltlf.names(formula)
            assert len(letters) == sum(mission.formula.count(letter) for letter in LETTERS)
            assert bool(letters & set(HELD_OUT)) == (split == "letters")
            words = set(mission.text.replace(";", "").replace(",", "").replace(".", "").split())
            assert letters == (words & set(LETTERS)) - ({"a"} - letters)
    sizes = {s: [len(machine_of(m.formula)) for m in drawn[s]] for s in SPLITS}
    assert max(sizes["train"]) <= 10 and 20 <= max(sizes["longer"]) <= 64
    texts = {split: {m.formula for m in missions} for split, missions in drawn.items()}
    assert len(texts["train"]) > 100
    assert not texts["longer"] & (texts["train"] | texts["letters"])
    for longer in drawn["longer"]:  # more letters or more orders than any of `train`
        others = [m for m in drawn["train"] if m.kind == longer.kind]
        most = max(len(ltlf.names(ltlf.parse(m.formula))) for m in others)
        chains = max(m.formula.count(" & F") for m in others)
        deepest = max(m.formula.count("X") - m.formula.count("& F") for m in others)
        own = len(ltlf.names(ltlf.parse(longer.formula)))
        deep = longer.formula.count("X") - longer.formula.count("& F")
        assert own > most or longer.formula.count(" & F") > chains or deep > deepest


@pytest.mark.parametrize("split", SPLITS)
def test_the_oracle_agrees_with_another_search(split: str) -> None:
    env = make(split=split, task="mission")
    for seed in range(5):
        _, info = env.reset(seed=seed)
        target = shortest(info["formula"], env.holds, env.get_state()["episode"].state % PLACES)
        episode = play(env, "oracle", seed)
        assert episode.total == 1.0 and episode.info["success"]
        assert int(np.flatnonzero(episode.rewards)[0]) + 1 == target
        assert episode.observations[-1, -2:].tolist() == [1, 0]


@pytest.mark.parametrize("policy", ["random", "oracle"])
def test_stored_transitions_are_rewarded_by_their_observations(policy: str) -> None:
    """Episodes have missions of their own, and observations their state; both libraries."""
    env, won, lost = make(task="mission"), 0, 0
    for seed in range(30):
        episode = play(env, policy, seed)
        obs, received = episode.observations, np.array(episode.rewards)
        assert env.observation_space.contains(obs[-1])
        task = env.tasks["mission"]
        np.testing.assert_array_equal(task.relabel(obs[:-1], received, obs[1:]), received)
        tensors = torch.from_numpy(obs)
        np.testing.assert_array_equal(
            task.relabel(tensors[:-1], None, tensors[1:]).numpy(), received
        )
        holds = {letter: cells[obs[1:, :PLACES].argmax(1)] for letter, cells in env.holds.items()}
        labels = env.machine.label({event: holds[event] for event in env.machine.events})
        np.testing.assert_array_equal(env.machine.run_all(labels[None])[1][0], received)
        won, lost = won + episode.info["success"], lost + int(obs[-1, -1])
    assert (won, lost) == (30, 0) if policy == "oracle" else (3 < won < 27 and lost > 3)


def test_letters_are_rewarded_at_their_places_in_each_episode() -> None:
    """A task named once holds for all episodes: live, stored, and as events."""
    env, observed, received, reported = make(mission="F (b & X F c)", task="visit_a"), [], [], []
    for seed in range(3):
        observed.append(env.reset(seed=seed)[0])
        for _ in range(12):
            obs, reward, _, _, info = env.step(env.oracle_action())
            observed.append(obs)
            received.append(reward)
            reported.append(info["event"] == "a")
    assert received == reported and sum(received) > 12
    after = np.delete(np.array(observed), [0, 13, 26], axis=0)
    for given in (after, torch.from_numpy(after)):
        found = env.tasks["visit_a"].relabel(given, None, given)
        np.testing.assert_array_equal(np.asarray(found), received)
        np.testing.assert_array_equal(np.asarray(env.events["a"](given, None, given)), reported)


def test_the_observation_shows_the_effect_of_each_letter() -> None:
    env = make(mission="!a U (b & X (!c U d))", task="mission")
    obs, _ = env.reset(seed=0)
    requested = dict(zip(LETTERS, obs[-14:-2].tolist(), strict=True))
    assert {k: v for k, v in requested.items() if v} == {"a": -1, "b": 1}
    here = env.get_state()["episode"].state % PLACES
    for cells, pair in zip(env.holds.values(), obs[PLACES:-14].reshape(12, 2, 2), strict=True):
        ways = np.rint(pair * 3).astype(int)
        assert (np.abs(ways) <= 3).all() and np.abs(ways[0]).sum() <= np.abs(ways[1]).sum()
        found = [(here // 7 + down) % 7 * 7 + (here % 7 + right) % 7 for down, right in ways]
        assert sorted(found) == np.flatnonzero(cells).tolist()
    observed = {tuple(play(env, "random", seed).observations[-1, -14:]) for seed in range(30)}
    assert len({each[-1] for each in observed}) == 2, "spoilt in some, not in all"


def test_levels_can_be_walked_and_are_drawn_anew() -> None:
    rng = np.random.default_rng(0)
    levels = {draw_level(rng) for _ in range(50)}
    assert len(levels) == 50
    table = torus().outcomes[:, :, 0]
    assert table[0].tolist() == [0, 42, 1, 7, 6]
    for level in levels:
        assert len(set(level)) == 24
        blank = [cell for cell in range(PLACES) if cell not in level]
        met = {blank[0]}
        for _ in range(PLACES):
            met |= {to for cell in met if cell in blank for to in table[cell]}
        assert len(met) == PLACES, "past the other letters"


def walk(machine: Any, policy: np.ndarray, holds: Any, cell: int) -> int:
    """Return the steps of a policy (N, S) until the machine's reward."""
    table, state = torus().outcomes[:, :, 0], machine.initial
    for steps in range(1, 76):
        cell = int(table[cell, policy[state, cell]])
        label = sum(int(holds[event][cell]) << i for i, event in enumerate(machine.events))
        state, reward = machine.step(state, label)
        if reward > 0:
            return steps
    raise AssertionError(f"not done: {machine.text}")


def compared(missions: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps of skill machines and of the shortest ways, for missions on one level; (N,) each."""
    rng = np.random.default_rng(seed)
    holds = holds_of(draw_level(rng))
    skills, rows = Skills(torus().outcomes[:, :, 0], holds), []
    for number in range(missions):
        mission = draw_mission(rng, SPLITS[number % 3])
        machine = machine_of(mission.formula)
        start = int(rng.integers(PLACES))
        steps = walk(machine, skills.policy(machine), holds, start)
        rows.append((steps, shortest(mission.formula, holds, start)))
    return np.array(rows).T


def test_skill_machines_do_what_they_never_learnt() -> None:
    composed, best = compared(9, seed=0)
    assert (composed >= best).all() and (composed > best).any()


@pytest.mark.proof
def test_skill_machines_do_a_hundred_missions_and_are_a_little_slow() -> None:
    composed, best = compared(100, seed=1)
    assert (composed >= best).all()
    assert 1.0 < composed.sum() / best.sum() < 1.3


def test_a_reset_that_is_refused_leaves_the_episode_as_it_was() -> None:
    env = make(task="mission")
    env.reset(seed=2)
    snapshot = env.get_state()
    with pytest.raises(ValueError, match="start must be"):
        env.reset(seed=3, options={"start": (0, 0)})
    after = env.step(1)
    env.set_state(snapshot)
    for left, right in zip(after, env.step(1), strict=True):
        np.testing.assert_array_equal(left, right)
    assert pickle.loads(pickle.dumps(env)).oracle_action() == env.oracle_action()


def test_the_letters_in_words() -> None:
    env = make(mission="F a", task="mission", view="text", render_mode="ansi")
    said, info = env.reset(seed=0)
    assert "split" not in info, "a mission that is given is of no split"
    lines = said.splitlines()
    assert lines[0] == "Make this true by the end of the episode: F a."
    assert lines[1].startswith("Letters: a at row ") and lines[1].count("row") == 24
    assert info["mission"] == lines[0] and info["formula"] == "F a"
    picture = env.render()
    assert picture.count("A") + picture.count("@") >= 2 and len(picture.splitlines()) == 7
    assert env.reset(options={"mission": "F b & F c"})[1]["formula"] == "F b & F c"
