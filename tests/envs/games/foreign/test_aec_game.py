"""Foreign AEC environments by text: the same games as PettingZoo's own loop plays."""

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

import zerogym
from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.foreign.aec_game import ForeignGame, PettingZooEnv
from zerogym.envs.games.views.aec import GameAEC
from zerogym.errors import MissingExtra, NoOracle, UnknownName

TEXT = {"render_mode": "ansi"}
OURS = ("tic_tac_toe", "kuhn_poker", "pig", "ultimatum", "hanabi")


class Auction(pettingzoo.AECEnv[str, Any, int]):
    """Three agents bid 1 to 3 in turn; who bids 3 is out with 1 point, the last gets its bids.

    Each bid gives a tenth of it at once. Masks are in the infos, and a bid may not be repeated.
    """

    def __init__(self, masked: bool = True) -> None:
        super().__init__()
        self.metadata = {"name": "auction", "render_modes": ["ansi"]}
        self.render_mode = "ansi"
        self.masked = masked
        self.possible_agents = ["ann", "bob", "eve"]
        self.action_spaces = {one: spaces.Discrete(3, start=1) for one in self.possible_agents}
        self.observation_spaces = {one: spaces.Discrete(1) for one in self.possible_agents}

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = list(self.possible_agents)
        self.bids: dict[str, list[int]] = {one: [] for one in self.agents}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {one: self._info(one) for one in self.agents}
        self.agent_selection = self.agents[0]

    def _info(self, agent: str) -> dict[str, Any]:
        free = [bid not in self.bids[agent] for bid in (1, 2, 3)]
        return {"action_mask": np.array(free, np.int8)} if self.masked else {}

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> int:
        return 0

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action in (1, 2, 3)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.bids[agent].append(action)
        self.infos[agent] = self._info(agent)
        self.rewards[agent] = action / 10
        following = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        if action == 3:
            self.terminations[agent] = True
            self.rewards[agent] += 1
            live = [one for one in self.agents if not self.terminations[one]]
            if len(live) == 1:
                self.terminations[live[0]] = True
                self.rewards[live[0]] += sum(self.bids[live[0]])
        self._accumulate_rewards()
        self.agent_selection = following
        self._deads_step_first()

    def render(self) -> Any:
        return io.StringIO(f"{self.bids}")


def directly(env: Any, seed: int) -> tuple[list[tuple[int, tuple[int, ...], int]], list[float]]:
    """Play at random by PettingZoo's own loop: mover, legal moves and move; and the sums."""
    rng = np.random.default_rng([seed, 1])
    env.reset(seed=seed)
    moves, sums = [], [0.0] * len(env.possible_agents)
    for agent in env.agent_iter():
        view, reward, ended, cut, info = env.last()
        seat = env.possible_agents.index(agent)
        sums[seat] += reward
        if ended or cut:
            env.step(None)
            continue
        start = int(env.action_space(agent).start)
        mask = view["action_mask"] if isinstance(view, dict) else info["action_mask"]
        legal = tuple(np.flatnonzero(mask).tolist())
        move = int(rng.choice(legal))
        moves.append((seat, legal, move))
        env.step(start + move)
    return moves, sums


@pytest.mark.parametrize("name", [*OURS, "auction"])
def test_games_are_those_of_pettingzoos_own_loop(name: str) -> None:
    if name == "auction":
        direct: Any = Auction()
        game = ForeignGame(Auction, payoff_range=(0.0, 10.0), zero_sum=False)
    else:
        direct = pettingzoo.make("aec", f"zerogym/{name}-v0")
        bounds = direct.unwrapped.game.payoff_range
        game = ForeignGame(f"zerogym/{name}-v0", TEXT, payoff_range=bounds, zero_sum=False)
    lines = []
    for seed in range(4):
        moves, sums = directly(direct, seed)
        state = game.initial()
        assert game.to_move(state) == CHANCE and game.legal(state) == ()
        state = game.apply(state, seed)
        for seat, legal, move in moves:
            lines.append((state, seat, legal))
            assert (game.to_move(state), game.legal(state)) == (seat, legal)
            assert game.parse(state, game.write(state, move)) == move
            state = game.apply(state, move)
        assert game.to_move(state) == TERMINAL and game.legal(state) == ()
        assert game.payoff(state) == pytest.approx(sums, abs=1e-12)
    for place in np.random.default_rng(0).permutation(len(lines))[:30]:  # from one line to another
        state, seat, legal = lines[place]
        assert (game.to_move(state), game.legal(state)) == (seat, legal)


def test_an_agent_that_is_out_moves_no_more_and_keeps_its_rewards() -> None:
    game = ForeignGame(Auction, payoff_range=(0.0, 10.0), zero_sum=False)
    state = game.apply(game.initial(), 0)
    assert game.request(state) == "Your moves: 1-3\nReply <answer>move</answer>."
    movers = []
    for bid in ("1", "3", "2", "2", "1", "3"):
        movers.append(game.to_move(state))
        move = game.parse(state, f"I bid\n{bid}.")
        assert move == int(bid) - 1
        state = game.apply(state, move)
        if len(movers) == 4:
            assert game.returns(state) == pytest.approx((0.3, 1.3, 0.2))
            assert game.request(state).startswith("Your moves: 1, 3\n")
            assert game.parse(state, "2") is None
            assert game.situation(state, 2) == "{'ann': [1, 2], 'bob': [3], 'eve': [2]}"
    assert movers == [0, 1, 2, 0, 2, 0]
    assert game.to_move(state) == TERMINAL
    assert game.payoff(state) == pytest.approx((1.6, 1.3, 3.3))
    assert game.describe(state, 0).endswith("The game is over. Your payoff is +1.6.")
    free = ForeignGame(lambda: Auction(masked=False), zero_sum=False)
    assert free.legal(free.apply(free.initial(), 0)) == (0, 1, 2)


def test_a_game_of_too_many_moves_ends_with_what_was_received() -> None:
    game = ForeignGame(Auction, max_moves=2, zero_sum=False)
    state = game.initial()
    for move in (7, 2, 0):
        state = game.apply(state, move)
    assert game.to_move(state) == TERMINAL
    assert game.payoff(state) == pytest.approx((1.0, 0.1, 0.0))  # 1.3 is cut


class Line:
    """A text player that writes moves of a list."""

    def __init__(self, *moves: str) -> None:
        self.moves = moves
        self.read: list[str] = []

    def reply(self, message: str, memory: Any, rng: np.random.Generator) -> tuple[str, int]:
        self.read.append(message)
        return self.moves[memory or 0], (memory or 0) + 1


def classic(**arguments: Any) -> PettingZooEnv:
    """PettingZoo's own tic-tac-toe, which numbers cells down the columns."""
    pytest.importorskip("pygame", reason="of PettingZoo's classic games")

    def describe(env: Any, agent: str) -> str:
        cells = ["_XO"[mark] for mark in env.unwrapped.board.squares]
        return "\n".join(" ".join(cells[row::3]) for row in range(3))

    names = [f"{column}{row}" for column in "abc" for row in (1, 2, 3)]
    made: Any = zerogym.make(
        "PettingZoo", env="classic/tictactoe-v3", describe=describe, names=names, **arguments
    )
    return made.unwrapped


def test_a_classic_game_is_played_by_names_and_numbers() -> None:
    other = Line("b1", "b2")
    env = classic(seat=0, opponent=other, about="Three in a row win.")
    text, info = env.reset(seed=0)
    assert text == (
        "Three in a row win.\nThere are 2 seats; you are player_1. Payoffs are from -1 to 1; they "
        "sum to 0.\n_ _ _\n_ _ _\n_ _ _\nYour moves: a1, a2, a3, b1, b2, b3, c1, c2, c3\n"
        "Reply <answer>move</answer>."
    )
    assert info == {"turn": 0, "seat": 0, "void_turn": False}
    assert env.step("<answer>A1</answer>")[0].startswith("X O _\n_ _ _\n_ _ _\nYour moves: a2, a3")
    before = env.get_state()
    first = env.step("1")  # the number of a2
    assert first[0].startswith("X O _\nX O _\n_ _ _\nYour moves: a3, b3")
    text, reward, done, _, info = env.step("<answer>a3</answer>")
    assert (reward, done, info["score"], info["success"]) == (1.0, True, 1.0, True)
    assert text == "X O _\nX O _\nX _ _\nThe game is over. Your payoff is +1."
    env.set_state(before)
    assert env.step("1") == first
    assert other.read[0].startswith("Three in a row win.\nThere are 2 seats; you are player_2.")


def test_illegal_replies_are_repeated_and_then_forfeit() -> None:
    env = classic(seat=0, opponent=Line("b1", "b1", "b1"), max_retries=1)
    env.reset(seed=0)
    env.step("a1")
    for reply in ("b1", "d4", "9", "a2 or a3", "", "<answer>a</answer>"):
        env.reset(seed=0)
        env.step("a1")
        text, reward, done, _, info = env.step(reply)
        assert (reward, done, info["void_turn"]) == (0.0, False, True), reply
        assert text.startswith("That reply is not a legal move.\nX O _")
        text, reward, done, _, info = env.step(reply)
        assert (reward, done, info["score"]) == (-1.0, True, 0.0), reply
        assert text == "You forfeit: no legal move. Your payoff is -1."
    env.reset(seed=0)
    env.step("a1")
    assert env.step("c1")[:3] == (
        "An opponent forfeits: no legal move. Your payoff is +1.",
        1,
        True,
    )


def test_search_plays_where_nothing_is_hidden() -> None:
    env = classic(seat=1, perfect_information=True, opponent="mcts:200")
    env.reset(seed=0)
    game = env.game
    state = game.initial()
    for move in (0, 0, 3, 1, 4):  # X: a1, a2; O: b1, b2
        state = game.apply(state, move)
    wins = env.opponent.choose(state, np.random.default_rng(3))
    assert game.action_name(state, wins) == "a3"
    with pytest.raises(NoOracle, match=r"ForeignGame\(tictactoe_v3\)"):
        classic(opponent="mcts:200")


def test_all_seats_by_text() -> None:
    env = GameAEC(ForeignGame(Auction, payoff_range=(0.0, 10.0), zero_sum=False), view="text")
    env.reset(seed=0)
    lines = env.observe("player_1")["text"].splitlines()
    assert lines[1].startswith("There are 3 seats; you are bob.") and "Your moves" not in lines[-2]
    for reply in ("<answer>3</answer>", "no bid", "<answer>2</answer>", "<answer>1</answer>"):
        env.step(reply)
    assert env.agent_selection == "player_1"
    assert env.observe("player_1")["text"] == (
        "{'ann': [3], 'bob': [2], 'eve': [1]}\nYour moves: 1, 3\nReply <answer>move</answer>."
    )


class OneAgent(Auction):
    """Fewer agents than a game needs."""

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["ann"]


class Steering(Auction):
    """Acts in numbers of another kind."""

    def __init__(self) -> None:
        super().__init__()
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Box(0, 1))


class Mute(Auction):
    """Renders nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.render_mode = None


@pytest.mark.parametrize(
    ("env", "arguments", "error", "says"),
    [
        ("auction-v7", {}, UnknownName, "AEC environment 'auction-v7'"),
        ("zerogym_trap:auction-v0", {}, UnknownName, "AEC environment"),
        (7, {}, TypeError, "env is an id, or what makes an AEC environment, got 7"),
        (Auction(), {}, TypeError, "what makes an AEC environment"),
        (dict, {}, TypeError, "makes no AEC environment"),
        (OneAgent, {}, ValueError, "auction has less than two agents"),
        (Steering, {}, ValueError, r"ann of auction acts in Box\(.*, not Discrete"),
        (Mute, {}, ValueError, "no text of a position: make it with render_mode='ansi'"),
        (Auction, {"names": ["low"]}, ValueError, "3 actions, got 1 names"),
        (Auction, {"payoff_range": (1, 1)}, ValueError, "payoff_range"),
        (Auction, {"deals": 0}, ValueError, "deals must be an integer from 1"),
        (Auction, {"view": "numeric"}, ValueError, "view='text' only"),
        (Auction, {"colour": 1}, TypeError, "colour"),
    ],
)
def test_what_cannot_be_played_is_refused(
    env: Any,
    arguments: dict[str, Any],
    error: type[Exception],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "zerogym_trap.py").write_text("", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(error, match=says):
        PettingZooEnv(env=env, **arguments)
    assert "zerogym_trap" not in sys.modules


def test_a_package_that_an_id_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame", reason="of PettingZoo's classic games")
    monkeypatch.setitem(sys.modules, "chess", None)
    with pytest.raises(MissingExtra, match=r"classic/chess-v6.*pip install"):
        PettingZooEnv(env="classic/chess-v6", settings=TEXT)


def test_long_positions_and_lists_of_moves_are_cut() -> None:
    game = ForeignGame(
        Auction,
        describe=lambda env, agent: "x" * 100_000,
        names=lambda env, agent, number: f"{agent} {number} " + "y" * 5_000,
    )
    state = game.apply(game.initial(), 0)
    text = game.describe(state, 0)
    assert len(text) < game.max_text and text.endswith(
        "y, ... (3 in all)\nReply <answer>move</answer>."
    )
    assert game.parse(state, "2") == 1  # by its number
    same = ForeignGame(Auction, names=["Low", "low", "3"])
    assert same.parse(state, "low") is None and same.parse(state, "2") == 1
