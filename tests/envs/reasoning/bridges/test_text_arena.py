"""The bridge to TextArena, with a suite of the same interface in its place.

`test_the_suite_itself` plays the real one where it is installed.
"""

import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import gymnasium as gym
import pytest

from zerogym.envs.reasoning.bridges import text_arena
from zerogym.errors import MissingExtra, UnknownArgument

SUITE = '''
import random, time


class SinglePlayerState:
    def __init__(self, num_players, seed):
        assert num_players == 1, f"has to be 1, received {num_players}"
        random.seed(seed)
        self.done = self.made_invalid_move = False
        self.error_count, self.rewards, self.game_info = 0, None, {0: {"invalid_move": False}}


class Dice:
    """Says a roll after each reply; [stop] ends with the share of sixes."""

    def __init__(self, sides=6):
        self.sides = sides

    def reset(self, num_players, seed=None):
        self.state = SinglePlayerState(num_players, seed)
        self.rolls, self.said = [], [(-1, "Roll.", None)]

    def step(self, action):
        if "hang" in action:
            time.sleep(1000)
        if "raise" in action:
            raise KeyError(action)
        self.state.made_invalid_move = "[" not in action
        if "[text]" in action:
            self.state.done, self.state.rewards = True, {0: "Bad format"}
        if "[stop]" in action:
            self.state.done = True
            self.state.rewards = {0: 7 * self.rolls.count(6) / len(self.rolls)}
            self.state.game_info[0]["reason"] = "You have stopped."
        self.rolls.append(random.randint(1, self.sides))
        self.said.append((-1, str(self.rolls[-1]), None))

    def get_observation(self):
        said, self.said = self.said, []
        return 0, said

    def close(self):
        return self.state.rewards, self.state.game_info


class Pair(Dice):
    def reset(self, num_players, seed=None):
        assert num_players == 2, f"has to be 2, received {num_players}"


def make(name, **settings):
    return {"Dice-v0-raw": Dice, "Pair-v0-raw": Pair}[name](**settings)
'''
REGISTRY = 'ENV_REGISTRY = {"Dice-v0": 0, "Dice-v0-raw": 0, "Pair-v0": 0, "Pair-v0-raw": 0}'


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "textarena" / "envs").mkdir(parents=True)
    (tmp_path / "textarena" / "__init__.py").write_text(SUITE)
    (tmp_path / "textarena" / "envs" / "__init__.py").write_text("")
    (tmp_path / "textarena" / "envs" / "registration.py").write_text(REGISTRY)
    monkeypatch.syspath_prepend(str(tmp_path))
    text_arena._worker.cache_clear()  # its child has the old path
    yield
    text_arena._worker().close()
    text_arena._worker.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "textarena"]:
        del sys.modules[name]  # unguarded, this process imports it


def make(game: str = "Dice-v0", **arguments: object) -> gym.Env[str, str]:
    return gym.make("zerogym/TextArena-v0", game=game, **arguments)


def played(env: gym.Env[str, str], *replies: str) -> list[str]:
    return [env.step(reply)[0] for reply in replies]


def test_games_side_by_side_have_random_numbers_of_their_own(suite: None) -> None:
    alone = make()
    assert alone.reset(seed=3)[0] == "Roll."
    rolls = played(alone, *["[go]"] * 8)
    assert len(set(rolls)) > 1
    one, two = make(), make()
    one.reset(seed=3)
    two.reset(seed=4)
    mixed = [(played(one, "[go]"), played(two, "[go]")) for _ in range(8)]
    assert [first for [first], _ in mixed] == rolls != [second for _, [second] in mixed]


def test_a_killed_child_and_a_snapshot_play_the_same_game_again(suite: None) -> None:
    env = make(settings={"sides": 1000}).unwrapped
    env.reset(seed=5)
    played(env, "[go]", "[go]")
    state = env.get_state()  # type: ignore[attr-defined]
    going_on = played(env, "[go]", "[go]")
    text_arena._worker().close()
    env.set_state(state)  # type: ignore[attr-defined]
    assert played(env, "[go]", "[go]") == going_on and len(set(going_on)) == 2


def test_what_the_game_does_with_a_reply_is_scored_in_time(
    suite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_arena, "STEP_SECONDS", 1.0)
    env = make()
    faults = {"[hang]": "took longer", "[raise]": "KeyError", "[text]": "'Bad format'"}
    for reply, says in faults.items():
        env.reset(seed=0)
        start = time.monotonic()
        said, reward, terminated, _, info = env.step(reply)
        assert says in said and (reward, terminated, info["void_turn"]) == (0.0, True, True)
        assert time.monotonic() - start < 60
    env.reset(seed=0)
    assert env.step("[go]")[4]["void_turn"] is False, "the next game works"
    assert env.step("x" * 10**7)[4]["void_turn"] is True  # is read as an empty reply
    _, reward, terminated, _, info = env.step("[stop]")
    assert terminated and 0 <= reward <= 1 and info["score"] == reward


def test_the_turns_end(suite: None) -> None:
    env = make(max_turns=2)
    env.reset(seed=0)
    assert env.step("[go]")[3] is False
    assert env.step("[go]")[1:4] == (0.0, False, True)


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize(
    ("game", "settings", "says"),
    [
        ("Dic-v0", {}, "Did you mean 'Dice-v0'"),
        ("Pair-v0", {}, "not for one player"),
        ("Dice-v0", {"side": 3}, "unexpected keyword argument 'side'"),
    ],
)
def test_a_game_that_cannot_start_is_one_line(
    suite: None, guarded: bool, game: str, settings: dict[str, int], says: str
) -> None:
    with pytest.raises((ValueError, UnknownArgument), match=says):
        make(game, settings=settings, guarded=guarded).reset(seed=0)


def test_a_missing_suite_says_how_to_get_it() -> None:
    if find_spec("textarena"):
        pytest.skip("it is installed")
    for guarded in (True, False):
        with pytest.raises(MissingExtra, match="pip install textarena"):
            make("Mastermind-v0", guarded=guarded).reset(seed=0)


def test_the_suite_itself() -> None:
    pytest.importorskip("textarena")
    env = make("Mastermind-v0", settings={"code_length": 2, "num_numbers": 2})
    assert "[2 1 4 5]" in env.reset(seed=0)[0]
    _, reward, over, _, _ = env.step("[1 2]")
    if not over:
        _, reward, over, _, _ = env.step("[2 1]")
    assert over and reward == 1.0
