"""Opponents that other packages bring, and a person in the other seats."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from typer.testing import CliRunner, Result

import zerogym  # noqa: F401  (registers the ids)
from zerogym.cli import app
from zerogym.cli.person import Person
from zerogym.envs.extensions import OPPONENTS, entries, find_extension
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.references import named_modules
from zerogym.errors import ImportRefused, UnknownName

TOE = TicTacToe()
PLAYERS = """
class Cell:
    def __init__(self, cell): self.cell = cell
    def choose(self, state, rng, deterministic=False): return self.cell

class Talker:
    def reply(self, message, memory, rng):
        legal = [c for c in "123456789" if c in message.partition("first.")[2]]
        return f"I choose {legal[-1]}.\\n<answer>{legal[-1]}</answer>", memory

def cell(game, argument): return Cell(int(argument))
def talker(game, argument): return Talker()
def several(game, argument): return "mine:0+random"
def nobody(game, argument): return 7

class Legal:
    def __init__(self, game, last="first"): self.game, self.last = game, last
    def choose(self, state, rng, deterministic=False):
        return self.game.legal(state)[-1 if self.last == "last" else 0]
"""
NAMES = """
[zerogym.opponents]
mine = other_players:cell
talker = other_players:talker
several = other_players:several
nobody = other_players:nobody
legal = other_players:Legal
random = other_players:nobody
"""


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings opponents."""
    (tmp_path / "other_players.py").write_text(PLAYERS)
    (tmp_path / "other-1.0.dist-info").mkdir()
    (tmp_path / "other-1.0.dist-info/METADATA").write_text("Name: other\nVersion: 1.0\n")
    (tmp_path / "other-1.0.dist-info/entry_points.txt").write_text(NAMES)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("other_players", None)
    named_modules.discard("other_players")


def test_our_own_are_installed() -> None:
    assert {"llm", "person"} <= {entry.name for entry in entries(OPPONENTS)}
    assert find_extension(OPPONENTS, "person", "opponent")(TOE, "") == Person()


@pytest.mark.usefixtures("other_package")
def test_another_package_brings_opponents() -> None:
    env = gym.make("zerogym/TicTacToe-v0", seat=1, opponent="mine:4")
    assert "4 X 6" in env.reset(seed=0)[0]
    for name, board in (("legal", "X 2 3"), ("legal:last", "7 8 X")):
        env = gym.make("zerogym/TicTacToe-v0", seat=1, opponent=name)
        assert board in env.reset(seed=0)[0], "a class is made from what it takes"
    several = make_opponent(TOE, {"several": 1, "talker": 1})
    assert isinstance(several, Mixture) and several.weights == (0.5, 0.5, 1)
    assert isinstance(make_opponent(TOE, "mine:1+mine:2+talker"), Mixture)
    with pytest.raises(TypeError, match="int"):
        make_opponent(TOE, "nobody")
    # Names of zerogym are never taken.
    assert callable(getattr(make_opponent(TOE, "random"), "choose", None))
    with pytest.raises(UnknownName, match="random:9"):
        make_opponent(TOE, "random:9")
    with pytest.raises(UnknownName, match="Did you mean 'mine'"):
        make_opponent(TOE, "mini")


class Last:
    """The last legal move, of any game."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def choose(self, state: Any, rng: Any, deterministic: bool = False) -> int:
        return int(self.game.legal(state)[-1])


def test_objects_classes_and_functions_are_opponents() -> None:
    for opponent in (Last(TOE), Last, lambda game: Last(game), lambda: Last(TOE)):
        env = gym.make("zerogym/TicTacToe-v0", seat=1, opponent=opponent)
        assert "7 8 X" in env.reset(seed=0)[0]
    mixed = make_opponent(TOE, [Last, "random"])
    assert isinstance(mixed, Mixture)


@pytest.mark.usefixtures("other_package")
def test_a_module_is_imported_only_where_a_person_typed_it() -> None:
    shown = ("tic_tac_toe", "--seat", "1", "--seed", "0")
    with pytest.raises(ImportRefused, match="zerogym --import other_players"):
        make_opponent(TOE, "other_players:cell:4")
    assert "other_players" not in sys.modules
    found = run(*shown, "--opponent", "other_players:Talker")
    assert found.exit_code == 0 and "7 8 X" in found.output, found.output
    assert make_opponent(TOE, "other_players:cell:4").cell == 4  # type: ignore[union-attr]
    assert isinstance(make_opponent(TOE, "random+other_players:Talker"), Mixture)
    for name, says in (
        ("other_players:Severl", "no opponent of other_players 'Severl'. Did you mean 'several'"),
        ("mtcs:50", "Did you mean 'mcts:N'"),
        ("nowhere:Player", "the opponent 'nowhere:Player' is not imported"),
    ):
        found = run(*shown, "--opponent", name)
        assert found.exit_code == 2 and says in " ".join(found.output.split()), found.output


@pytest.mark.usefixtures("other_package")
def test_a_text_player_is_any_object_with_reply() -> None:
    talker: Any = find_extension(OPPONENTS, "talker", "opponent")(TOE, "")
    for view in ("text", "numeric"):
        env = gym.make("zerogym/TicTacToe-v0", seat=1, opponent=talker, view=view)
        observation, _ = env.reset(seed=0)
        assert ("7 8 X" in observation) if view == "text" else observation[9 + 8] == 1


def run(*arguments: str, typed: str | bytes = "") -> Result:
    return CliRunner().invoke(app, ["play", *arguments], input=typed)


def test_two_people_share_a_terminal() -> None:
    found = run("tic_tac_toe", "--opponent", "person", "--seat", "0", typed="1\n5\n9\n3\n7\n2\n4\n")
    assert found.exit_code == 0 and "Return 1" in found.output
    assert found.output.count("Another seat") == 3
    assert found.output.count("Your seat") == 5  # the end, too
    assert "You are O and move second.\nX 2 3" in found.output


def test_three_people_share_a_terminal() -> None:
    typed = "give\nwhat?\nkeep\ngive\n" + "keep\nkeep\ngive\n" * 2
    found = run("public_goods", "--opponent", "person", "--seat", "1", typed=typed)
    assert found.exit_code == 0 and "Points: you 17, others 8, 14." in found.output
    assert found.output.count("Another seat") == 6 and "not a legal move" in found.output


def test_a_person_who_leaves_ends_the_game() -> None:
    found = run("kuhn_poker", "--opponent", "person", "--seat", "1", typed="")
    assert found.exit_code == 0 and "Goodbye" in found.output
    env = KuhnPokerEnv(seat=1, opponent="person")
    with CliRunner().isolation(input=""), pytest.raises(EOFError):
        env.reset(seed=0)
    with pytest.raises(UnknownName, match="person"):
        make_opponent(KuhnPoker(), "person:Anna")


@pytest.mark.parametrize("opponent", ["llm:tiny", "tiny", "random+tiny", "scripted+llm:tiny"])
def test_models_are_opponents_in_the_terminal(opponent: str) -> None:
    arguments = ("kuhn_poker", "--opponent", opponent, "--seed", "1", "--episodes", "2")
    found = run(*arguments, "--agent", "random")
    assert found.exit_code == 0 and "Total" in found.output
    assert run(*arguments, "--agent", "random").output == found.output


def test_what_is_typed_may_be_anything() -> None:
    noise = b"\xff\xfe\x00\n\x1b[2J\x1b]0;title\x07\n%s\n<answer>bet</answer>\n"
    noise %= b"x" * 1_000_000
    found = run(
        "kuhn_poker", "--opponent", "random", "--seat", "0", "--arg", "max_retries=9", typed=noise
    )
    assert found.exit_code == 0 and found.output.count("not a legal move") == 3
    assert "Return" in found.output and "\x1b]0" not in found.output
