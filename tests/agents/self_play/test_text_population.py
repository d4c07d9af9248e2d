"""Populations of players of texts: payoffs by played games, PSRO, and a model that is trained."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zerogym.agents.self_play.meta_solvers import latest, nash
from zerogym.agents.self_play.opponents import LanguageModel, Named
from zerogym.agents.self_play.played_payoff import PlayedPayoff
from zerogym.agents.self_play.psro import SelfPlay
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs
from zerogym.envs.games.economic.matrix import MatrixGame
from zerogym.envs.games.opponents.mixture import Mixture

RPS = MatrixGame("rock_paper_scissors", rounds=1)
BEATEN_BY = {"rock": "paper", "paper": "scissors", "scissors": "rock"}


@dataclass(frozen=True)
class Says:
    """A text player that always gives the same answer."""

    word: str

    def reply(self, message: str, memory: Any, rng: np.random.Generator) -> tuple[str, Any]:
        assert f"<answer>{self.word}</answer>" in message
        return f"I think about it. <answer>{self.word}</answer>", memory


class BestWord:
    """A learner that tries all three words against each opponent in played games."""

    def learn(self, game: Game[Any], seat: int, opponents: Mixture) -> Says:
        score = PlayedPayoff(games=1)

        def gain(word: str) -> float:
            pairs = zip(opponents.members, opponents.weights, strict=True)
            return sum(
                weight * (1 - 2 * seat) * score(game, *[(Says(word), met), (met, Says(word))][seat])
                for met, weight in pairs
            )

        return Says(max(BEATEN_BY, key=gain))


def words(members: list[Says]) -> list[str]:
    return [member.word for member in members]


def test_psro_over_texts_mixes_and_naive_self_play_goes_in_circles() -> None:
    psro = SelfPlay(RPS, BestWord(), nash, Says("rock"), PlayedPayoff(games=1))
    for _ in range(2):
        psro.step()
    for members, mixture in zip(psro.members, psro.mixtures(), strict=True):
        assert words(members) == ["rock", "paper", "scissors"]
        assert mixture.weights == pytest.approx([1 / 3] * 3)
    assert psro.payoffs().tolist() == [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    naive = SelfPlay(RPS, BestWord(), latest, Says("rock"), PlayedPayoff(games=1))
    for _ in range(5):
        naive.step()
    assert words(naive.members[0]) == ["rock", "paper", "scissors"] * 2


def test_played_payoffs_are_those_of_enumeration() -> None:
    game = KuhnPoker()
    bold = TabularPolicy(game, {"K:": (0, 1), "Q:b": (0, 1), "J:p": (0, 1)})
    exact = expected_payoffs(game, [bold, TabularPolicy(game, {})])
    payoffs = PlayedPayoff(games=3000, seed=2).payoffs(game, (bold, "random"))
    assert payoffs.sum(axis=1) == pytest.approx(0)
    error = payoffs[:, 0].std() / len(payoffs) ** 0.5
    assert abs(payoffs[:, 0].mean() - exact[0]) < 3 * error < 0.1
    again = PlayedPayoff(games=20, seed=2).payoffs(game, (bold, "random"))
    assert (again == payoffs[:20]).all()
    assert not (again == PlayedPayoff(games=20, seed=3).payoffs(game, (bold, "random"))).all()


def test_silence_forfeits_a_played_game() -> None:
    class Silent(Says):
        def reply(self, message: str, memory: Any, rng: np.random.Generator) -> tuple[str, Any]:
            return "", memory

    assert PlayedPayoff(games=2)(KuhnPoker(), Silent(""), "random") == -2


@pytest.mark.proof
def test_a_language_model_answers_a_mixture_and_joins_it(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from zerogym.agents.llm.grpo_config import GRPOConfig
    from zerogym.agents.llm.trained_response import TrainedResponse

    config = GRPOConfig(
        model="tiny", out=str(tmp_path), steps=1, prompts_per_step=1, group_size=2,
        max_new_tokens=8, eval_episodes=2, device="cpu", env_kwargs={"max_retries": 0},
    )  # fmt: skip
    learner = TrainedResponse(config)
    first = learner.learn(KuhnPoker(), 0, Mixture(("random",), (1.0,)))
    assert first == LanguageModel(model=str(tmp_path / "000-seat-0"))
    second = learner.learn(KuhnPoker(), 1, Mixture((Named("mcts:5"), first), (0.25, 0.75)))
    record = json.loads((Path(second.model) / "checkpoint-000001/run.json").read_text("utf-8"))
    assert record["config"]["env"] == "zerogym/KuhnPoker-v0"
    given = record["config"]["env_kwargs"]
    assert (given["seat"], given["max_retries"]) == (1, 0)
    members = given["opponent"]["members"]
    assert members["0"] == Named("mcts:5").record() | {"weight": 0.25}
    assert members["1"] == first.record() | {"weight": 0.75}
    assert [result.after.episodes for result in learner.results if result.after] == [2, 2]
    assert -2 <= PlayedPayoff(games=1)(KuhnPoker(), first, second) <= 2
    with pytest.raises(TypeError, match="part"):
        learner.learn(KuhnPoker(), 0, Mixture((Says("bet"),), (1.0,)))
