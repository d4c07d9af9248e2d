"""Past selves from a folder: strategies, checkpoints of a trainer, and what is neither."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.agents.baselines.game_ppo import NetworkPlayer, learn_ppo
from zerogym.agents.baselines.saved_ppo import save_ppo
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.opponent import LanguageModel
from zerogym.agents.llm.training.grpo import train
from zerogym.agents.self_play.exact_best_response import BestResponse
from zerogym.agents.self_play.psro import SelfPlay
from zerogym.agents.self_play.saving import save_selves
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.players import language_model, named
from zerogym.benchmarks.league.standings import standings
from zerogym.envs.games.board.tic_tac_toe import TicTacToe, TicTacToeEnv
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.past_selves import NoPastSelves, load_strategy, save_strategy
from zerogym.envs.games.opponents.registry import make_opponent, uniform_policy

KUHN, TOE = KuhnPoker(), TicTacToe()


def test_a_folder_of_past_selves_is_an_opponent(tmp_path: Path) -> None:
    strategies = {
        "b": TabularPolicy(KUHN, {"J:": (0, 1)}),
        "a": TabularPolicy(KUHN, {"K:b": (0.25, 0.75), "Q:b": (1, 0)}),
    }
    for name, strategy in strategies.items():
        save_strategy(strategy, tmp_path / f"{name}.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]
    found = KuhnPokerEnv(opponent=f"past:{tmp_path}").opponent
    assert [member.table for member in found.members] == [
        strategies["a"].table,
        strategies["b"].table,
    ]
    assert found.weights == (1, 1)
    weighted = make_opponent(KUHN, {f"past:{tmp_path}": 1, "random": 1})
    assert isinstance(weighted, Mixture)
    assert weighted.weights == (0.5, 0.5, 1)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"game": "kuhn_poker", "parameters": {}, "table": {"J:": [2]}}']
)
def test_a_file_that_is_no_strategy_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(NoPastSelves, match=r"bad\.json"):
        make_opponent(KUHN, f"past:{tmp_path}")


def test_strategies_of_other_games_or_parameters_are_refused(tmp_path: Path) -> None:
    path = save_strategy(uniform_policy(TOE), tmp_path / "toe.json")
    with pytest.raises(NoPastSelves, match="tic_tac_toe"):
        load_strategy(KUHN, path)
    for heaps in ((1, 2), (2, 2)):
        save_strategy(TabularPolicy(load_game("nim", heaps=heaps), {}), tmp_path / "nim.json")
    assert json.loads((tmp_path / "nim.json").read_text())["parameters"]["heaps"] == [2, 2]
    load_strategy(load_game("nim", heaps=(2, 2)), tmp_path / "nim.json")
    with pytest.raises(NoPastSelves, match=r"\[2, 2\]"):
        load_strategy(load_game("nim", heaps=(1, 2)), tmp_path / "nim.json")
    with pytest.raises(NoPastSelves, match="no strategy"):
        make_opponent(KUHN, f"past:{tmp_path / 'nowhere'}")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps of GRPO at Kuhn poker, of which every checkpoint is kept."""
    out = tmp_path_factory.mktemp("runs") / "kuhn"
    config = GRPOConfig(
        env="zerogym/KuhnPoker-v0", out=str(out), steps=2, prompts_per_step=2, group_size=2,
        max_new_tokens=12, temperature=0.9, stop=("</answer>",), system="Play well.",
        lr=1e-3, eval_episodes=0, save_every=1, keep_checkpoints=5, device="cpu",
    )  # fmt: skip
    train(config)
    return out


def test_the_checkpoints_of_a_run_are_opponents(run: Path) -> None:
    opponent = KuhnPokerEnv(opponent=f"past:{run}").opponent
    assert isinstance(opponent, Mixture)
    found = [member.directory.relative_to(run).as_posix() for member in opponent.members]
    assert found == ["checkpoint-000001/model", "checkpoint-000002/model"]
    # As they were trained; the run and its final model, too, though its settings lie elsewhere.
    for name in (f"past:{run}", f"llm:{run}", f"llm:{run}/checkpoint-000001", f"llm:{run}/model"):
        made = make_opponent(KUHN, name)
        for member in made.members if isinstance(made, Mixture) else [made]:
            assert isinstance(member, LanguageModel)
            assert (member.system, member.chat) == ("Play well.", "auto")
            assert (member.sampling.max_new_tokens, member.sampling.temperature) == (12, 0.9)
            assert member.sampling.stop == ("</answer>",)


@pytest.mark.proof
def test_the_checkpoints_of_a_run_enter_leagues(run: Path) -> None:
    entrants = [language_model(f"{run}/checkpoint-000002"), *named(KUHN, ["random", f"past:{run}"])]
    matches = play_league(KUHN, entrants, pairs=2)
    assert len(matches) == 3
    assert matches == play_league(KUHN, entrants, pairs=2)
    assert len(standings(KUHN, entrants, matches)) == 3


def test_past_selves_play(run: Path) -> None:
    env, again = (KuhnPokerEnv(seat=1, opponent=f"past:{run}") for _ in range(2))
    met: Counter[int] = Counter()
    for seed in range(12):
        assert env.reset(seed=seed) == again.reset(seed=seed)
        met[env.get_state()["episode"].member] += 1
    assert set(met) == {0, 1}


def test_a_run_can_be_trained_against_its_own_past(run: Path, tmp_path: Path) -> None:
    config = GRPOConfig(
        env="zerogym/KuhnPoker-v0", env_kwargs={"opponent": f"past:{run}"}, steps=1,
        model=str(run / "model"), out=str(tmp_path / "next"), prompts_per_step=1, group_size=2,
        max_new_tokens=12, eval_episodes=0, device="cpu",
    )  # fmt: skip
    assert train(config).step == 1


def test_tables_and_models_stand_side_by_side(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run / "model", tmp_path / "b")
    for name in ("a", "c"):
        save_strategy(uniform_policy(KUHN), tmp_path / f"{name}.json")
    (tmp_path / "notes").mkdir()
    shutil.copytree(run / "checkpoint-000001", tmp_path / ".saving-x" / "checkpoint")
    opponent = make_opponent(KUHN, {f"past:{tmp_path}": 1, "random": 3})
    assert isinstance(opponent, Mixture)
    kinds = [type(member) for member in opponent.members]
    assert kinds == [TabularPolicy, LanguageModel, TabularPolicy, TabularPolicy]
    assert opponent.weights == pytest.approx((1 / 3, 1 / 3, 1 / 3, 3))
    with pytest.raises(NoPastSelves, match="llm:"):
        make_opponent(KUHN, f"past:{tmp_path / 'b'}")


@pytest.fixture(scope="module")
def learned() -> Any:
    return learn_ppo(TOE, "random", steps=1024, seed=3)


def test_a_network_is_saved_without_pickles(learned: Any, tmp_path: Path) -> None:
    path = save_ppo(learned, tmp_path / "selves" / "first.npz")
    save_strategy(uniform_policy(TOE), tmp_path / "selves" / "second.json")
    assert [p.name for p in path.parent.iterdir()].count("first.npz.part") == 0
    opponent = make_opponent(TOE, f"past:{path.parent}")
    assert isinstance(opponent, Mixture)
    network, table = opponent.members
    assert isinstance(network, NetworkPlayer) and isinstance(table, TabularPolicy)
    state = TOE.initial()
    for move in (4, 0, 8):
        assert network.probabilities(state) == learned.probabilities(state)
        state = TOE.apply(state, move)
    assert np.ptp(network.probabilities(state)) > 0.01  # not what an untrained one would play
    env, again = (TicTacToeEnv(seat=1, opponent=f"ppo:{path}") for _ in range(2))
    texts = [env.reset(seed=seed)[0] for seed in range(10)]
    assert texts == [again.reset(seed=seed)[0] for seed in range(10)] and len(set(texts)) > 2


def test_a_file_that_is_no_network_is_named(learned: Any, tmp_path: Path) -> None:
    good = save_ppo(learned, tmp_path / "good.npz")
    with np.load(good) as archive:
        arrays = dict(archive)
    wide = {name: np.zeros((3, 3), np.float32) for name in arrays if name != "rules"}
    np.savez(tmp_path / "wide.npz", **(arrays | wide))
    np.savez(tmp_path / "pickle.npz", **(arrays | {"rules": np.array([{}], dtype=object)}))
    np.savez(tmp_path / "nothing.npz", other=np.zeros(1))
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "empty.npz").write_text("")
    for name in ("wide", "pickle", "nothing", "text", "empty", "missing"):
        with pytest.raises(NoPastSelves, match=name):
            make_opponent(TOE, f"ppo:{tmp_path / name}.npz")
    with pytest.raises(NoPastSelves, match="tic_tac_toe"):
        make_opponent(KUHN, f"ppo:{good}")


def test_a_folder_is_read_when_the_environment_is_made(tmp_path: Path) -> None:
    save_strategy(uniform_policy(KUHN), tmp_path / "a.json")
    env = KuhnPokerEnv(opponent=f"past:{tmp_path}")
    save_strategy(uniform_policy(KUHN), tmp_path / "b.json")
    env.reset(seed=0)
    assert len(env.opponent.members) == 1
    assert len(KuhnPokerEnv(opponent=f"past:{tmp_path}").opponent.members) == 2


def test_what_self_play_learned_is_a_folder_of_past_selves(tmp_path: Path) -> None:
    psro = SelfPlay(KUHN, BestResponse())
    psro.step()
    save_selves(psro, tmp_path)
    first, second = make_opponent(KUHN, f"past:{tmp_path}").members
    assert first.probabilities(KUHN.apply(KUHN.apply(KUHN.initial(), 2), 0)) == (0.5, 0.5)
    state = KUHN.initial()
    for action in (1, 2, 1):  # cards Q and K, then a bet
        state = KUHN.apply(state, action)
    assert second.probabilities(state) == psro.members[1][1].probabilities(state) == (0, 1)
