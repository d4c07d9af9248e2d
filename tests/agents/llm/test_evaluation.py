"""Evaluation by the public function: who may be evaluated, on which problems, and its numbers."""

from collections.abc import Sequence
from typing import Any

import pytest

import zerogym
from helpers.llm.scripted_engine import Scripted
from zerogym.agents.llm import Evaluation, LLMPolicy, Sampling, evaluate
from zerogym.agents.llm.rollout.evaluation import wilson
from zerogym.agents.llm.rollout.rollout_env import NoText
from zerogym.errors import ModelNotFound, UnknownName


class Solver:
    """Knows the answers of the problems whose prompts it was given."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.calls: list[tuple[Any, list[bool], bool]] = []

    def predict(
        self,
        observations: Sequence[str],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], int]:
        self.calls.append((state, list(episode_start), deterministic))
        return [self.known.get(text, "?") for text in observations], (state or 0) + 1


def answers(split: str, seeds: range, **kwargs: Any) -> dict[str, str]:
    env = zerogym.make("RandomCalculation", split=split, **kwargs)
    found = {}
    for seed in seeds:
        prompt, _ = env.reset(seed=seed)
        found[prompt] = env.unwrapped.oracle_action()  # type: ignore[attr-defined]
    return found


def test_a_policy_plays_the_test_side_with_the_seeds_from_seed_on() -> None:
    known = answers("test", range(5, 8), difficulty=1)
    outcome = evaluate(Solver(known), "random_calculation", 4, 5, difficulty=1)
    assert outcome == Evaluation(4, 0.75, 0.75, *wilson(3, 4))
    trained = answers("train", range(3), difficulty=1)
    assert evaluate(Solver(trained), "RandomCalculation", 3, difficulty=1).reward == 0
    on_train = evaluate(Solver(trained), "RandomCalculation", 3, difficulty=1, split="train")
    assert on_train.accuracy == 1


def test_a_policy_keeps_its_state_within_an_episode_only() -> None:
    solver = Solver({})
    evaluate(solver, "Countdown", 2, deterministic=False, max_attempts=2)
    assert solver.calls == [(None, [True], False), (1, [False], False)] * 2


def test_models_engines_and_their_policies_are_the_same(generator: Any) -> None:
    sampling = Sampling(4, seed=3)
    engine = evaluate(generator, "RandomCalculation", 3, sampling=sampling)
    policy = evaluate(LLMPolicy(generator, sampling), "RandomCalculation", 3)
    assert engine == policy and engine.episodes == 3


def test_the_conversation_of_a_policy_is_its_own() -> None:
    prompts: list[str] = []
    engine = Scripted(lambda prompt: prompts.append(prompt) or "x")
    evaluate(LLMPolicy(engine, system="Be brief."), "Countdown", 1)
    assert prompts[0].startswith("Be brief.")


def test_an_interval_holds_its_share() -> None:
    for count in range(1, 60):
        for right in range(count + 1):
            low, high = wilson(right, count)
            assert 0 <= low <= right / count <= high <= 1


def test_a_game_is_its_single_seat_view() -> None:
    outcome = evaluate(Solver({}), "kuhn_poker", 2, opponent="cfr")
    assert outcome.episodes == 2 and -2 <= outcome.reward <= 2


def test_what_cannot_be_evaluated_is_refused() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'Countdown'"):
        evaluate(Solver({}), "Countdwn")
    with pytest.raises(NoText, match="view='text'"):
        evaluate(Solver({}), "CartPole")
    with pytest.raises(TypeError, match="not function"):
        evaluate(lambda text: text, "Countdown")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sampling is for models"):
        evaluate(Solver({}), "Countdown", sampling=Sampling())
    with pytest.raises(ValueError, match="at least one episode"):
        evaluate(Solver({}), "Countdown", 0)
    with pytest.raises(ModelNotFound):
        evaluate("/no/such/model", "Countdown")
