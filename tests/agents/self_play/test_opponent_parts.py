"""Opponents as parts: the players of names with settings, in every place that takes an opponent."""

import json
import re
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from helpers.llm.scripted_engine import Scripted
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Episode
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.runner import Player, play
from zerogym.agents.self_play.opponents.earlier_selves import PastSelves, Start
from zerogym.agents.self_play.opponents.mixture import Mixture
from zerogym.agents.self_play.opponents.players import (
    Cfr,
    LanguageModel,
    Mcts,
    Minimax,
    Named,
    Optimal,
    Past,
    Ppo,
)
from zerogym.agents.self_play.opponents.table import OPPONENTS, OnlyInTraining
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.past_selves import NoPastSelves, save_strategy
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.errors import ImportRefused, NotAPart, UnknownArgument, UnknownName

KUHN, TIC_TAC_TOE = "zerogym/kuhn_poker-v0", "zerogym/tic_tac_toe-v0"


def moves(opponent: object) -> list[str]:
    """Boards of tic-tac-toe against an opponent, for somebody who takes the first free cell."""
    env = gym.make("zerogym/TicTacToe-v0", opponent=opponent, seat=1)
    boards = []
    for seed in range(4):
        board, _ = env.reset(seed=seed)
        over = False
        while not over:
            boards.append(board)
            free = int(np.flatnonzero(env.unwrapped.action_masks())[0])
            board, _, over, _, _ = env.step(f"<answer>{free + 1}</answer>")
    return boards


def test_a_part_plays_as_its_name_does() -> None:
    by_name = moves("mcts:20")
    assert moves(Mcts(simulations=20)) == by_name
    assert moves({"part": "mcts", "simulations": 20}) == by_name
    assert moves(Mixture({"mcts:20": 1})) == moves({"mcts:20": 1})
    assert moves(Mcts(simulations=1)) != by_name  # the setting counts


def test_optimal_is_the_solution_of_the_game() -> None:
    assert exploitability(KuhnPoker(), make_opponent(KuhnPoker(), Optimal())) < 1e-3
    for game, solver in ((TicTacToe(), Minimax()), (KuhnPoker(), Cfr())):
        assert make_opponent(game, Optimal()) is make_opponent(game, solver)
        assert make_opponent(game, solver) is make_opponent(game, solver.title())


def test_files_and_names_are_those_of_the_environment(tmp_path: Path) -> None:
    game = KuhnPoker()
    for number in range(2):
        save_strategy(
            TabularPolicy(game, {"J:p": (1 - number, number)}), tmp_path / f"{number}.json"
        )
    tables = [member.table for member in make_opponent(game, Past(str(tmp_path))).members]
    assert tables == [{"J:p": (1.0, 0.0)}, {"J:p": (0.0, 1.0)}]
    assert [each.table for each in make_opponent(game, Named(f"past:{tmp_path}")).members] == tables
    with pytest.raises(NoPastSelves, match="nowhere"):
        make_opponent(game, Ppo(str(tmp_path / "nowhere.npz")))


def test_settings_of_a_language_model_are_those_of_its_replies() -> None:
    pytest.importorskip("transformers")
    player = make_opponent(KuhnPoker(), LanguageModel(temperature=0.5, max_new_tokens=7))
    assert (player.sampling.temperature, player.sampling.max_new_tokens) == (0.5, 7)


def test_members_of_a_mixture_are_met_by_their_weights() -> None:
    members = {"a": {"part": "mcts", "simulations": 2, "weight": 3}, "past:x": 1, "start": 2}
    mixture = OPPONENTS.make(json.loads(json.dumps(Mixture(members).record())))
    assert mixture.of_run and not Mixture({"random": 1, "mcts:50": 2}).of_run
    rng = np.random.default_rng(7)
    met = [json.dumps(mixture.meet(0, rng)) for _ in range(6000)]
    shares = {text: met.count(text) / 6000 for text in set(met)}
    assert shares[json.dumps(Mcts(simulations=2).record())] == pytest.approx(1 / 2, abs=0.03)
    assert shares["0"] == pytest.approx(1 / 3, abs=0.03)
    assert any("past:x" in text for text in shares) and len(shares) == 3


def test_past_selves_are_the_newest_that_were_kept() -> None:
    part, rng = PastSelves(every=20, newest=2), np.random.default_rng(1)
    kept = [updates for updates in range(100) if part.needs_weights(updates)]
    assert kept == [0, 20, 40, 60, 80]
    for step, expected_value in ((0, {0}), (19, {0}), (20, {0, 20}), (59, {20, 40})):
        assert {part.meet(step, rng) for _ in range(30)} == expected_value
    assert {Start().meet(step, rng) for step in range(50)} == {0}
    with pytest.raises(OnlyInTraining, match="llm:RUN"):
        make_opponent(KuhnPoker(), Start())


@pytest.mark.parametrize(
    ("record", "error", "words"),
    [
        ({"part": "mcst"}, UnknownName, "mcts"),
        ({"part": "mcts", "sims": 3}, UnknownArgument, "simulations"),
        ({"part": "mcts", "simulations": 0}, ValueError, "at least 1"),
        ({"part": "mcts", "simulations": "many"}, TypeError, "simulations"),
        ({"part": "antigravity:fly"}, ImportRefused, "antigravity"),
        ({"part": "mixture", "members": {"antigravity:fly": 1}}, ImportRefused, "antigravity"),
        ({"part": "named", "name": "antigravity:fly"}, ImportRefused, "antigravity"),
        ({"part": "os:system"}, NotAPart, "Opponent"),
        ({"part": "mixture", "members": {"random": 0}}, ValueError, "positive"),
        ({"part": "mixture", "members": {}}, ValueError, "0 opponents"),
        ({"part": "optimal"}, UnknownName, "optimal"),
    ],
)
def test_a_wrong_record_is_one_clear_line(
    record: dict[str, object], error: type[Exception], words: str
) -> None:
    game = make_chess() if record == {"part": "optimal"} else KuhnPoker()
    with pytest.raises(error, match=words) as refused:
        make_opponent(game, record)
    assert "\n" not in str(refused.value) and "antigravity" not in sys.modules


def make_chess() -> object:
    """A game that nobody has solved."""
    from zerogym.envs.games.board.othello import Othello

    return Othello()


# --- in seats of a rollout


def first_move(prompt: str) -> str:
    """Bet if nobody has, else call."""
    return f"<answer>{'call' if 'bets' in prompt else 'bet'}</answer>"


def rolled(game: str, others: dict[str, object], seeds: range) -> list[list[Trajectory]]:
    """Episodes in which the others have these seats."""
    player = Player(Scripted(first_move if game == KUHN else first_free))
    with Environments(game) as envs:
        prompts = [Prompt(envs.task, seed, others=others) for seed in seeds]
        episodes = [Episode(number, prompt, 0) for number, prompt in enumerate(prompts)]
        records = play(envs, episodes, player, 8, False, None)
    return [records[start : start + 2] for start in range(0, len(records), 2)]


def first_free(prompt: str) -> str:
    """The first free cell of the board that is shown last."""
    rows = re.findall(r"^[1-9XO] [1-9XO] [1-9XO]$", prompt, re.MULTILINE)[-3:]
    return f"<answer>{next(cell for cell in '123456789' if cell in ' '.join(rows))}</answer>"


@pytest.mark.parametrize("seat", [0, 1])
def test_seats_of_all_meet_who_the_view_of_one_seat_meets(seat: int) -> None:
    """The same deals and the same script: the same words and payoffs as with `opponent=`."""
    env = gym.make("zerogym/KuhnPoker-v0", opponent="scripted", seat=seat)
    names = ("player_0", "player_1")
    episodes = rolled(KUHN, {names[1 - seat]: {"part": "scripted"}}, range(20))
    rewards = set()
    for seed, records in enumerate(episodes):
        own, other = records[seat], records[1 - seat]
        assert other.turns == () and own.reward == -other.reward and own.terminated
        text, _ = env.reset(seed=seed)
        for turn in own.turns:
            assert turn.observation == text
            text, reward, _, _, _ = env.step(turn.action)
        assert reward == own.reward
        rewards.add(reward)
    assert len(rewards) > 2


def test_perfect_play_in_a_seat_never_loses() -> None:
    for seat in (0, 1):
        others = {f"player_{1 - seat}": {"part": "optimal"}}
        played = rolled(TIC_TAC_TOE, others, range(6))
        assert {records[seat].reward for records in played} <= {-1.0, 0.0}
        assert any(records[seat].reward == -1 for records in played)


def test_random_opponents_follow_from_the_seed_of_the_episode() -> None:
    others: dict[str, object] = {"player_1": {"part": "random"}}
    one, other = (rolled(KUHN, others, range(12)) for _ in range(2))
    assert one == other and len({records[0].reward for records in one}) > 1
