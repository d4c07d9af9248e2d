"""The payoff of a perfect adversary against fixed replies, and the engine that caches them."""

import re
from typing import Any

import numpy as np
import pytest

from helpers.games.leagues import Silent
from zerogym.benchmarks.games.players import CachedReplies
from zerogym.benchmarks.league.worst_case import TooManyPositions, worst_case
from zerogym.envs.games.core.game import Game, load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, information_sets
from zerogym.envs.games.solvers.best_response import exploitability


def test_kept_replies_are_those_of_the_engine_and_drawn_ones_are_refused() -> None:
    pytest.importorskip("transformers")
    from zerogym.agents.llm.generation.engines import load_generator
    from zerogym.agents.llm.generation.protocol import Sampling

    engine = load_generator("tiny")
    requests: list[Any] = []

    class Counting:
        tokenizer, context_length, weight_version = engine.tokenizer, 9, 0

        def generate(self, prompts: Any, sampling: Any) -> Any:
            requests.extend(prompts)
            return engine.generate(prompts, sampling)

        def update_weights(self, weights: Any, version: int) -> None:
            requests.clear()

    kept, greedy = CachedReplies(Counting()), Sampling(8, temperature=0.0)
    prompts = [[7, 8, 9], [9, 8], [7, 8, 9]]
    first = kept.generate(prompts, greedy)
    assert [c.text for c in first] == [engine.generate([p], greedy)[0].text for p in prompts]
    assert kept.generate(prompts, greedy) == first and len(requests) == 2
    kept.update_weights({}, 1)
    assert kept.generate(prompts[:1], greedy) == first[:1]
    assert (kept.weight_version, len(requests)) == (1, 1)
    with pytest.raises(ValueError, match="greedy"):
        kept.generate(prompts, Sampling(8))


def pure(game: Game[Any], seed: int) -> TabularPolicy:
    rng, table = np.random.default_rng(seed), {}
    for key, states in information_sets(game).items():
        count = len(game.legal(states[0]))
        table[key] = np.eye(count)[rng.integers(count)]
    return TabularPolicy(game, table)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "goofspiel", "nim"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_worst_case_of_a_pure_strategy_is_its_exploitability(name: str, seed: int) -> None:
    game = load_game(name)
    policy = pure(game, seed)
    found = worst_case(game, policy, "numeric", max_requests=10**6)
    assert found == pytest.approx(exploitability(game, policy))


def test_the_worst_case_of_silence_is_the_worst_payoff_and_patience_ends() -> None:
    for name, worst in (("kuhn_poker", 2), ("leduc_poker", 13), ("tic_tac_toe", 1)):
        assert worst_case(load_game(name), Silent()) == pytest.approx(worst)
    with pytest.raises(TooManyPositions):
        worst_case(load_game("leduc_poker"), pure(load_game("leduc_poker"), 0), "numeric", 50)
    with pytest.raises(ValueError, match="zero sums"):
        worst_case(load_game("stag_hunt"), Silent())


@pytest.mark.parametrize(("patience", "expected"), [(2, 1.0), (3, 0.0)])
def test_the_worst_case_goes_on_with_the_conversation(patience: int, expected: float) -> None:
    class Wearies(Silent):
        """Takes the first object that is left, so many times, and then says nothing."""

        def predict(self, observations: Any, state: Any = None, *_: Any) -> tuple[Any, Any]:
            heap = re.findall("([A-F]) has 1", observations[0])[0]
            moves = (state or 0) + 1
            return [f"<answer>{heap}1</answer>" if moves <= patience else "..."], moves

    # Six heaps of one: the second seat takes the last, if it has the patience.
    game = load_game("nim", heaps=(1,) * 6)
    assert worst_case(game, Wearies()) == expected
