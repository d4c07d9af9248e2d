"""Games of simultaneous moves as PettingZoo parallel environments."""

import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded

import zerogym  # noqa: F401  (registers the ids)
from helpers.games.positions import HERE
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.views.aec import GameAEC
from zerogym.envs.games.views.parallel import KEPT, GameParallel

with warnings.catch_warnings():  # importing the checks imports PettingZoo's own deprecated modules
    warnings.simplefilter("ignore")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

EACH = pytest.mark.parametrize(
    ("name", "view"),
    [(game.name, view) for game in HERE if game.simultaneous for view in ("numeric", "text")],
)


@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.name)
def test_the_registry_knows_which_games_are_simultaneous(entry: Any) -> None:
    assert entry.simultaneous == load_game(entry.name).simultaneous
    at_once = entry.simultaneous or entry.parallel is not None
    assert at_once == (entry.id in pettingzoo.parallel_registry)


@EACH
def test_pettingzoo_checks_it(name: str, view: Any) -> None:
    def make() -> Any:
        return pettingzoo.make("parallel", f"zerogym/{name}-v0", view=view)

    parallel_api_test(make(), num_cycles=100)
    for cycles in (1, 3, 100):
        parallel_seed_test(make, num_cycles=cycles)


def answers(env: Any, observations: Any, rng: np.random.Generator) -> dict[str, Any]:
    """A random legal action of each seat, in its view."""
    found = {}
    for seat, agent in enumerate(env.agents):
        state = env._turn_of(env.get_state()["attributes"]["_match"].state, seat)
        action = int(rng.choice(env.game.legal(state)))
        assert observations[agent] in env.observation_space(agent)
        if env.view == "numeric":
            assert observations[agent]["action_mask"].nonzero()[0].tolist() == [
                *env.game.legal(state)
            ]
            found[agent] = action
        else:
            found[agent] = f"Hm.\n<answer>{env.game.action_name(state, action)}</answer>"
    return found


def play(env: Any, rng: np.random.Generator) -> list[str]:
    """The rest of a game; each round as text."""
    observations, record = env._observations(), []
    while env.agents:
        step = env.step(answers(env, observations, rng))
        observations = step[0]
        record.append(str(step))
    return record


@EACH
def test_it_is_the_same_game_as_in_turns(name: str, view: Any) -> None:
    assert_same(GameParallel(name, view=view), GameAEC(name, view=view))


def test_chance_between_rounds_is_the_same_as_in_turns() -> None:
    orders: Any = {"points_order": "random"}  # of the prizes
    assert_same(GameParallel("goofspiel", **orders), GameAEC("goofspiel", **orders))


def assert_same(env: GameParallel, turns: GameAEC) -> None:
    """Ten games."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        observations, _ = env.reset(seed=seed)
        turns.reset(seed=seed)
        while env.agents:
            actions = answers(env, observations, rng)
            for agent in env.agents:
                assert turns.agent_selection == agent
                assert str(turns.observe(agent)) == str(observations[agent])
                turns.step(actions[agent])
            observations, rewards, ended, truncated, _ = env.step(actions)
            assert rewards == turns.rewards
            assert ended == turns.terminations
            assert not any(truncated.values())


@EACH
def test_a_snapshot_can_be_replayed(name: str, view: Any) -> None:
    env, other = GameParallel(name, view=view), GameParallel(name, view=view)
    env.reset(seed=0)
    env.step(answers(env, env._observations(), np.random.default_rng(0)))
    snapshot = env.get_state()
    play(env, np.random.default_rng(2))
    futures = []
    for each in (env, env, other):
        each.set_state(snapshot)
        futures.append((play(each, np.random.default_rng(1)), str(each.reset())))
    assert futures[0] == futures[1] == futures[2]


def test_a_void_reply_is_repeated_while_the_other_move_is_kept() -> None:
    env = GameParallel("prisoners_dilemma", view="text", rounds=2, max_retries=1)
    env.reset(seed=0)
    both = {"player_0": "My secret: <answer>cooperate</answer>", "player_1": "cooperate? defect?"}
    observations, rewards, ended, _, infos = env.step(both)
    assert observations["player_0"]["text"] == KEPT
    assert observations["player_1"]["text"].startswith("That reply is not a legal move.")
    assert "secret" not in observations["player_1"]["text"]
    assert set(rewards.values()) == {0.0} and not any(ended.values())
    assert [info["void_turn"] for info in infos.values()] == [False, True]
    changed = {"player_0": "<answer>defect</answer>", "player_1": "<answer>defect</answer>"}
    observations, _, _, _, infos = env.step(changed)
    assert "you first: cooperate defect." in observations["player_0"]["text"]
    assert "you first: defect cooperate." in observations["player_1"]["text"]
    assert [info["turn"] for info in infos.values()] == [1, 1]
    again = env.step({"player_0": "?", "player_1": "?"})[0]
    assert [observed["text"][:10] for observed in again.values()] == ["That reply"] * 2, (
        "for each round"
    )


def test_who_makes_no_legal_move_forfeits() -> None:
    env = GameParallel("matching_pennies", view="text", max_retries=1)
    env.reset(seed=0)
    for _ in range(2):
        observations, rewards, ended, _, _ = env.step(
            {"player_0": "heads", "player_1": "x" * 10**7}
        )
    assert rewards == {"player_0": 5.0, "player_1": -5.0} and all(ended.values())
    assert env.agents == []
    assert observations["player_0"]["text"].startswith("An opponent forfeits")
    assert observations["player_1"]["text"].startswith("You forfeit")
    numbers = GameParallel("matching_pennies")
    for both, payoffs in (((2, -1), [0.0, 0.0]), ((2, 0), [-5.0, 5.0]), ((0, 7), [5.0, -5.0])):
        numbers.reset(seed=0)
        step = numbers.step(dict(zip(numbers.agents, both, strict=True)))
        assert list(step[1].values()) == payoffs
        assert all(step[2].values())
    goods = GameParallel("public_goods")
    for three in ((2, 0, 0), (2, 2, 0), (2, 2, 2)):
        goods.reset(seed=0)
        step = goods.step(dict(zip(goods.agents, three, strict=True)))
        assert set(step[1].values()) == {6.0}, "the worst for all, however many forfeit"


def test_a_person_sees_every_seat() -> None:
    env = pettingzoo.make("parallel", "zerogym/public_goods-v0", render_mode="ansi")
    env.reset(seed=0)
    assert str(env.render()).count("Public goods, 3 rounds") == 3


@EACH
def test_acting_before_the_beginning_or_after_the_end_is_an_error(name: str, view: Any) -> None:
    env = GameParallel(name, view=view)
    everybody = dict.fromkeys(env.possible_agents, 0 if view == "numeric" else "x")
    for early in (env.get_state, lambda: env.step(everybody)):
        with pytest.raises(ResetNeeded, match=rf"{env}: call reset\(\) first"):
            early()
    env.reset(seed=0)
    for wrong in ({}, {"player_0": 0}, everybody | {"player_9": 0}):
        with pytest.raises(ValueError, match=rf"{env} takes an action of each of \['player_0'"):
            env.step(wrong)
    play(env, np.random.default_rng(0))
    for late in ({}, everybody):
        with pytest.raises(RuntimeError, match=rf"{env}: the game is over, call reset\(\)"):
            env.step(late)


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="moves in turn"):
        GameParallel("kuhn_poker")
    with pytest.raises(TypeError, match="heaps"):
        GameParallel("stag_hunt", heaps=3)
    with pytest.raises(TypeError, match="rounds"):
        GameParallel(load_game("stag_hunt"), rounds=3)
    env = GameParallel("stag_hunt")
    env.reset(seed=0)
    with pytest.raises(TypeError, match="stag_hunt"):
        env.step({"player_0": 0, "player_1": "stag"})
