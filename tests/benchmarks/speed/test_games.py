"""The loops whose speed is compared play whole games, all in the same way."""

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest

from helpers.games.talk import TALK
from zerogym.benchmarks.speed.games import loops as game_loops
from zerogym.benchmarks.speed.games import moves as games
from zerogym.benchmarks.speed.games import peers
from zerogym.benchmarks.speed.games.loops import VECTOR_ENVS, VECTOR_STEPS, forms
from zerogym.benchmarks.speed.games.moves import PEERS, found, reuse_table, rows, speed_table
from zerogym.benchmarks.speed.games.peers import CLASSIC, play_arena
from zerogym.benchmarks.speed.loops import Loop, rate, rates
from zerogym.envs.games.core.game import load_game
from zerogym.envs.registry import GAMES, single_seat_id
from zerogym.errors import MissingExtra

MEAN = 7.626  # moves of a random game of tic-tac-toe, by the plain recursion over positions
EACH = [game for game in GAMES if "bridge" not in game.tags]


def peer_loop(peer: Callable[[str], Loop | None], name: str) -> Loop:
    """A peer's loop of a game that it has; skips where it is not installed."""
    try:
        loop = peer(name)
    except MissingExtra as error:
        pytest.skip(str(error))
    assert loop is not None
    return loop


def check_tic_tac_toe(loop: Loop) -> None:
    lengths = [loop() for _ in range(600)]
    assert set(lengths) <= {5, 6, 7, 8, 9}
    assert sum(lengths) / 600 == pytest.approx(MEAN, abs=0.25)


@pytest.mark.parametrize("form", ["rules", "text", "numeric"])
def test_our_loops_play_games_of_the_right_length(form: str) -> None:
    loop = forms("tic_tac_toe", 4)[form]
    assert loop is not None
    check_tic_tac_toe(loop)


@pytest.mark.parametrize("peer", PEERS)
def test_loops_of_peers_do_so_too(peer: str) -> None:
    check_tic_tac_toe(peer_loop(PEERS[peer], "tic_tac_toe"))


@pytest.mark.parametrize("form", ["gym text", "gym numeric"])
def test_one_seat_makes_about_half_of_the_moves(form: str) -> None:
    loop = forms("tic_tac_toe", 4)[form]
    assert loop is not None
    lengths = [loop() for _ in range(600)]
    assert set(lengths) <= {2, 3, 4, 5}
    assert sum(lengths) / 600 == pytest.approx(MEAN / 2, abs=0.15)


def test_a_vector_counts_the_steps_that_are_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    original = gym.make_vec
    monkeypatch.setattr(gym, "make_vec", lambda *a, **k: made.append(original(*a, **k)) or made[0])
    loop, ends = game_loops.vectorised("tic_tac_toe"), 0
    step = made[0].step

    def counted(actions: Any) -> Any:
        nonlocal ends
        found = step(actions)
        assert set(found[1][found[2]].tolist()) <= {-1.0, 0.0, 1.0}
        assert "feedback" not in found[4], "an illegal move was drawn"
        ends += int(found[2].sum())
        return found

    made[0].step = counted
    moves = [loop() for _ in range(20)]
    assert max(moves) < VECTOR_ENVS * VECTOR_STEPS
    assert sum(moves) / ends == pytest.approx(MEAN / 2, abs=0.15)


@pytest.mark.parametrize("entry", EACH, ids=lambda entry: entry.name)
def test_every_game_has_its_forms(entry: Any) -> None:
    assert single_seat_id(entry.name) in gym.registry
    loops = forms(entry.name, 4)
    assert {*loops} == {*games.BESIDE}
    missing = {form for form, loop in loops.items() if loop is None}
    small = load_game(entry.name).enumerable or entry.name == "connect_four"
    assert missing == (set() if small else {"batched"})
    for loop in loops.values():
        assert loop is None or loop() > 0


@pytest.mark.parametrize("name", [*peers.ARENA, *CLASSIC])
def test_every_game_of_a_peer_is_played(name: str) -> None:
    has = [] if name in TALK else ["OpenSpiel"]
    has += ["TextArena", "TextArena raw"] if name in peers.ARENA else []
    has += ["PettingZoo"] if name in CLASSIC else []
    for peer in has:
        assert peer_loop(PEERS[peer], name)() > 0


def test_a_game_that_a_peer_lacks_has_no_loop() -> None:
    missing: dict[str, None] = {}
    for make in (peers.pettingzoo_classic, partial(peers.text_arena, kind="raw")):
        assert found(make, "nim", missing) is None
    for kind in ("new", "kept"):
        assert found(partial(peers.text_arena, kind=kind), "hex", missing) is None
    pytest.importorskip("pyspiel")
    assert found(peers.open_spiel, "prisoners_dilemma", missing) is None
    assert not missing


@pytest.mark.parametrize(
    ("make", "package"),
    [
        (peers.open_spiel, "pyspiel"),
        (peers.pettingzoo_classic, "rlcard"),
        (peers.pettingzoo_classic, "pygame"),
        (peers.text_arena, "textarena"),
    ],
)
def test_a_peer_that_is_not_installed_is_named_with_its_cure(
    make: Any, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in ("pygame", "rlcard"):
        monkeypatch.setitem(sys.modules, other, ModuleType(other))
    monkeypatch.setitem(sys.modules, package, None)
    missing: dict[str, None] = {}
    for _ in range(2):
        assert found(make, "tic_tac_toe", missing) is None
    (line,) = missing
    assert f"needs {package}: pip install 'zerogym[peers]'" in line


class Arena:
    """TextArena's interface, with a game of three moves."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.state: Any = None

    def reset(self, num_players: int) -> None:
        assert num_players == 2
        self.state = SimpleNamespace(game_state={"left": ["a", "b", "c"]})

    def get_observation(self) -> tuple[int, str]:
        return len(self.said) % 2, ""

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        self.said.append(action)
        self.state.game_state["left"].remove(action.strip("[]"))
        return not self.state.game_state["left"], {}

    def close(self) -> None:
        self.state = None


def test_text_arena_is_played_by_its_own_loop() -> None:
    env = Arena()
    assert [play_arena(env, lambda state: state["left"]) for _ in range(20)] == [3] * 20
    assert Counter(env.said) == {"[a]": 20, "[b]": 20, "[c]": 20}
    assert len({tuple(env.said[i : i + 3]) for i in range(0, 60, 3)}) > 1


def test_legal_moves_are_read_from_the_state_of_text_arena() -> None:
    legal = {name: entry[2] for name, entry in peers.ARENA.items()}
    assert legal["tic_tac_toe"]({"board": [["X", "", ""], ["", "O", ""], ["", "", "X"]]}) == [
        *"123567"
    ]
    assert legal["connect_four"]({"board": [[*"X.O...."], [*"XXO...."]]}) == [*"13456"]
    trades = legal["simple_negotiation"]
    assert len(trades({"current_offer": None})) == 6
    assert trades({"current_offer": {}}) == trades({"current_offer": None})
    assert trades({"current_offer": {"from_player": 0}})[-1] == "Accept"
    phase = SimpleNamespace(value="Day-Voting")
    assert legal["social_deduction"]({"phase": phase, "alive_players": [0, 4]}) == ["0", "4"]
    phase.value = "Day-Discussion"
    assert legal["social_deduction"]({"phase": phase}) == ["I was in the lab."]
    assert legal["kuhn_poker"]({"current_legal_action_tree": {"fold": 0, "call": 0}}) == [
        "fold",
        "call",
    ]


def test_a_rate_is_moves_over_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(games.time, "process_time", lambda: clock[0])

    def playing(moves: int, seconds: float) -> Loop:
        def loop() -> int:
            clock[0] += seconds
            return moves

        return loop

    assert rate(playing(8, 0.25), 1.0) == 32
    assert rate(playing(8, 4.0), 1.0) == 2, "at least one call"
    found = rates({"a": playing(1, 0.5), "none": None, "b": playing(1, 0.25)}, 5.0)
    assert found == {"a": 2, "b": 4}
    assert games.reuse(playing(9, 0.5)) == [2.0] * games.BLOCKS


def test_rows_are_ratios_of_what_there_is() -> None:
    speeds = {"rules": 3e5, "text": 1e5, "TextArena raw": 4e4, "OpenSpiel": 6e5, "gym text": 5e4}
    assert rows(speeds) == [
        ("rules", "300", "OpenSpiel", "600", "0.50"),
        ("text", "100", "TextArena raw", "40", "2.50"),
        ("gym text", "50", "", "", ""),
    ]


def test_tables_are_of_all_that_was_measured() -> None:
    missing: dict[str, None] = {}
    table = speed_table(["tic_tac_toe", "hex"], 0.001, 4, missing)
    names = list(table.columns[0].cells)
    assert [name for name in names if name] == ["tic_tac_toe", "hex"]
    shown = list(table.columns[1].cells)
    assert {*shown[: names.index("hex")]} == {*games.BESIDE}
    assert {*shown[names.index("hex") :]} == {*games.BESIDE} - {"batched"}
    kept = reuse_table("tic_tac_toe", missing)
    assert "zerogym" in kept.columns[0].cells
    assert len(kept.columns) == 1 + games.BLOCKS


def test_the_memory_of_one_environment_is_flat() -> None:
    table = games.memory_table(["simple_negotiation", "ultimatum"], 400)
    assert list(table.columns[0].cells) == ["simple_negotiation", "ultimatum"]
    for grown in table.columns[3].cells:
        assert float(str(grown).replace(",", "")) < 60, "KiB in 360 games"
