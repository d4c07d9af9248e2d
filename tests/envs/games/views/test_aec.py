"""All seats of a game as a PettingZoo environment."""

import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded

import zerogym  # noqa: F401  (registers the ids)
from helpers.games.positions import HERE, positions
from zerogym.envs.games.core.game import CHANCE, load_game
from zerogym.envs.games.views.aec import GameAEC
from zerogym.errors import UnknownName

with warnings.catch_warnings():  # importing the checks imports PettingZoo's own deprecated modules
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, seed_test

# Every game in one view, the views by turns; the other views are proofs.
EACH = pytest.mark.parametrize(
    ("game", "view"),
    [
        pytest.param(
            game, view, id=f"{game.name}-{view}",
            marks=[] if (number + text) % 2 else pytest.mark.proof,
        )
        for number, game in enumerate(HERE)
        for text, view in enumerate(("numeric", "text"))
    ],
)  # fmt: skip


# PettingZoo says so of any Dict that is not on a list of its own games; the rest are errors.
@EACH
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action space for each agent probably should be")
def test_pettingzoo_checks_it(game: Any, view: str) -> None:
    api_test(pettingzoo.make("aec", game.id, view=view, render_mode="ansi"), num_cycles=10)
    for cycles in (1, 20):
        seed_test(lambda: pettingzoo.make("aec", game.id, view=view), num_cycles=cycles)


def play(env: Any, seed: int | None, rng: np.random.Generator) -> list[str]:
    """A game of random legal moves."""
    env.reset(seed=seed)
    return play_on(env, rng)


def play_on(env: Any, rng: np.random.Generator) -> list[str]:
    record = []
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        observed = [v if isinstance(v, str) else v.tobytes() for v in observation.values()]
        record.append(str((agent, observed, reward, terminated, info)))
        action = None if terminated else random_action(env, observation, rng)
        env.step(action)
    return record


def random_action(env: Any, observation: Any, rng: np.random.Generator) -> Any:
    state = env.unwrapped.get_state()["attributes"]["_match"].state
    action = int(rng.choice(env.unwrapped.game.legal(state)))
    if "text" in observation:
        return f"<answer>{env.unwrapped.game.action_name(state, action)}</answer>"
    assert observation["action_mask"][action] == 1
    return action


@EACH
def test_games_are_drawn_from_the_seed(game: Any, view: str) -> None:
    envs = [pettingzoo.make("aec", game.id, view=view) for _ in range(2)]
    records = [[play(env, seed, np.random.default_rng(0)) for seed in range(4)] for env in envs]
    assert records[0] == records[1]
    different = len({str(record) for record in records[0]})
    rules = load_game(game.name)
    has_chance = any(rules.to_move(state) == CHANCE for state in positions(rules))
    assert different > 1 if has_chance else different == 1


@EACH
def test_rewards_come_once_at_the_end(game: Any, view: str) -> None:
    env = pettingzoo.make("aec", game.id, view=view)
    for seed in range(2):
        env.reset(seed=seed)
        rng, rewards = np.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            rewards[agent] += reward
            state = env.unwrapped.get_state()["attributes"]["_match"].state
            env.step(None if terminated else random_action(env, observation, rng))
        assert tuple(rewards.values()) == env.unwrapped.game.payoff(state)


@EACH
def test_a_snapshot_can_be_replayed(game: Any, view: str) -> None:
    env, other = (GameAEC(game.name, view=view) for _ in range(2))  # type: ignore[arg-type]
    for skipped in (0, 2):
        env.reset(seed=1)
        for _ in range(skipped):
            if len(env.agents) == 1:
                break
            observation, _, terminated, _, _ = env.last()
            env.step(
                None if terminated else random_action(env, observation, np.random.default_rng(0))
            )
        snapshot = env.get_state()
        futures = []
        for each in (env, env, other):
            each.set_state(snapshot)
            rng = np.random.default_rng(1)
            rest, last = play_on(each, rng), each.agent_selection
            futures.append((rest, last, play(each, None, rng)))
        assert futures[0] == futures[1] == futures[2]


def test_text_of_a_seat_reaches_no_other_seat() -> None:
    env = GameAEC("kuhn_poker", view="text")
    env.reset(seed=0)
    env.step("My secret plan is to bluff.")
    assert env.agent_selection == "player_0"
    assert "not a legal move" in env.observe("player_0")["text"]
    assert "not a legal move" not in env.observe("player_1")["text"]
    env.step("My secret plan is to bluff.\n<answer>bet</answer>")
    observed = env.observe("player_1")["text"]
    assert "secret" not in observed + str(env.infos)
    assert "opponent bets" in observed
    assert observed == env.observe("player_1")["text"], "asking twice gives the same"
    env.step("<answer>fold</answer>")
    texts = [env.observe(agent)["text"] for agent in env.possible_agents]
    assert all("Opponent's card" not in text for text in texts)


def test_an_illegal_number_forfeits_at_once_and_a_text_after_retries() -> None:
    env = GameAEC("tic_tac_toe")
    env.reset(seed=0)
    env.step(4)
    env.step(4)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values())
    env = GameAEC("kuhn_poker", view="text", max_retries=1)
    env.reset(seed=0)
    env.step("check")
    env.step("?")
    assert not any(env.terminations.values())
    env.step("x" * 10_000_000)
    assert env.rewards == {"player_0": 2.0, "player_1": -2.0}
    assert "You forfeit" in env.observe("player_1")["text"]
    assert "An opponent forfeits" in env.observe("player_0")["text"]


def test_retries_are_counted_for_each_move() -> None:
    env = GameAEC("kuhn_poker", view="text", max_retries=1)
    env.reset(seed=0)
    for reply in ("?", "check", "?", "bet", "?"):
        env.step(reply)
        assert not any(env.terminations.values())
    env.step("call")
    assert abs(env.rewards["player_0"]) == 2


def test_a_waiting_seat_has_a_mask_of_ones() -> None:
    env = GameAEC("tic_tac_toe")
    env.reset(seed=0)
    env.step(0)
    assert env.observe("player_0")["action_mask"].tolist() == [1] * 9
    assert env.observe("player_1")["action_mask"].tolist() == [0] + [1] * 8


@EACH
def test_acting_before_the_beginning_or_after_the_end_is_an_error(game: Any, view: str) -> None:
    env = pettingzoo.make("aec", game.id, view=view)
    for early in (env.get_state, env.last, env.agent_iter, lambda: env.step(0)):
        with pytest.raises(ResetNeeded, match=rf"{env}: call reset\(\) first"):
            early()
    with pytest.raises(ResetNeeded, match="reset"):
        env.observe("player_0")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, env.last()[0], rng))
    for _ in env.possible_agents:  # the game is over, and each seat learns it
        with pytest.raises(ValueError, match="only valid action is None"):
            env.step(0 if view == "numeric" else "x")
        env.step(None)
    for late in (env.last, lambda: env.step(None), lambda: env.step(0)):
        with pytest.raises(RuntimeError, match=rf"{env}: the game is over, call reset\(\)"):
            late()
    assert list(env.agent_iter()) == []
    env.reset()
    assert env.last()[1] == 0


def test_misuse_is_named() -> None:
    with pytest.raises(UnknownName, match="tic_tac_toe"):
        GameAEC("tictactoe")
    with pytest.raises(ValueError, match="view"):
        GameAEC("kuhn_poker", view="pixels")  # type: ignore[arg-type]
    env = GameAEC("kuhn_poker")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"\['player_0', 'player_1'\], got 'player_2'"):
        env.observe("player_2")
    for action in (None, "bet", 0.5):
        with pytest.raises(TypeError, match="kuhn_poker"):
            env.step(action)
    texts = GameAEC("kuhn_poker", view="text")
    texts.reset(seed=0)
    for wrong in (None, 1, b"bet"):
        with pytest.raises(TypeError, match="kuhn_poker"):
            texts.step(wrong)
