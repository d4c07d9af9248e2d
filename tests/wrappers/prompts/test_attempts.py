"""Wrappers with more than one reply: unary feedback, two attempts, chunks."""

from typing import Any

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.wrappers.prompts.markovian_chunks import MarkovianChunk
from zerogym.wrappers.prompts.two_attempts import LOOK_AGAIN, TwoAttempts
from zerogym.wrappers.prompts.unary_feedback import UnaryFeedback


def easy() -> gym.Env[str, str]:
    return gym.make("zerogym/RandomCalculation-v0", difficulty=0)


def right(env: gym.Env[Any, Any]) -> str:
    return str(env.get_wrapper_attr("oracle_action")())


# by hand: gamma 0.9, penalty 0.5 over the turns taken
UNARY = {
    "right at once": (["right"], 1.0),
    "right in the third turn": (["1000", "1001", "right"], 0.9**2),
    "a repetition before": (["1000", " 1000. ", "right"], 0.9**2 - 0.5 * (1 - 2 / 3)),
    "never, all different": (["1000", "1001", "1002"], 0.0),
    "never, all the same": (["1000", "1000", "1000"], -0.5 * (1 - 1 / 3)),
    "nothing said": (["", "", ""], -0.5 * (1 - 1 / 3)),
}


@pytest.mark.parametrize("case", UNARY)
def test_unary_feedback_returns_the_formula(case: str) -> None:
    replies, expected = UNARY[case]
    env = UnaryFeedback(easy(), max_turns=3)
    env.reset(seed=4)
    total = 0.0
    for turn, reply in enumerate(replies, 1):
        text, reward, ended, _, info = env.step(right(env) if reply == "right" else reply)
        total += reward
        assert ended == (turn == len(replies))
        assert text == ("" if ended else "Try again.")
        assert ("answer" in info) == ended, "the answer is told at the end only"
    assert total == pytest.approx(expected)


def test_unary_feedback_keeps_the_question() -> None:
    env = UnaryFeedback(easy(), max_turns=3)
    env.reset(seed=4)
    answer = right(env)
    env.step("1000")
    assert right(env) == answer
    assert env.reset()[0] and right(env) != answer


def test_a_snapshot_counts_the_turns() -> None:
    env = UnaryFeedback(easy(), max_turns=2)
    env.reset(seed=4)
    snapshot = env.get_state()
    env.step("1000")
    assert env.step("1000")[1] == -0.25
    env.set_state(snapshot)
    assert not env.step("1000")[2], "two turns are left again"


@pytest.mark.parametrize(
    ("first", "second", "rewards", "fixed", "broke"),
    [
        ("wrong", "right", (0.0, 11.0), True, False),
        ("right", "right", (1.0, 1.0), False, False),
        ("right", "wrong", (1.0, -10.0), False, True),
        ("wrong", "wrong", (0.0, 0.0), False, False),
    ],
)
def test_two_attempts(first: str, second: str, rewards: tuple, fixed: bool, broke: bool) -> None:
    env = TwoAttempts(easy())
    env.reset(seed=4)
    replies = {"right": right(env), "wrong": "1000"}
    text, reward, ended, _, info = env.step(replies[first])
    assert (text, reward, ended) == (LOOK_AGAIN, rewards[0], False)
    assert not {"answer", "feedback"} & set(info)
    text, reward, ended, _, info = env.step(replies[second])
    assert (text, reward, ended) == ("", rewards[1], True)
    assert (info["fixed"], info["broke"]) == (fixed, broke)


def test_stage_one_rewards_the_second_attempt_only() -> None:
    env = TwoAttempts(easy(), stage=1)
    env.reset(seed=4)
    answer = right(env)
    assert [env.step(answer)[1], env.step("1000")[1]] == [0.0, 0.0]
    env.reset(seed=4)
    assert [env.step("1000")[1], env.step(answer)[1]] == [0.0, 1.0]


def test_no_context_of_a_chunk_is_longer_than_question_and_chunk() -> None:
    env = MarkovianChunk(easy(), size=20, carry=5, max_chunks=4)
    question, _ = env.reset(seed=4)
    written = 0
    for chunk in range(1, 5):
        new = 20 if chunk == 1 else 15
        text, _, ended, _, info = env.step("abcdefghij" * 10)  # cut off after `new`
        written += new
        assert ended == (chunk == 4) and info["chunk"] == chunk
        if not ended:
            carried = text.removeprefix(f"{question}\n")
            assert carried == ("abcdefghij" * 10)[:new][-5:]
    assert written == env.budget == 20 + 3 * 15


def test_a_policy_that_writes_its_state_down_solves_chains_of_any_length() -> None:
    """Adds numbers one a chunk; without carryover the sum of earlier chunks is lost."""

    class SumEnv(gym.Env[str, str]):
        observation_space = action_space = gym.make("zerogym/ChainSum-v0").observation_space
        metadata = {"render_modes": []}  # noqa: RUF012

        def reset(self, *, seed: Any = None, options: Any = None) -> tuple[str, dict]:
            super().reset(seed=seed)
            return " ".join(map(str, range(1, 13))), {}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict]:
            return "", float(f"<answer>{sum(range(1, 13))}</answer>" in action), True, False, {}

    def run(carry: int) -> float:
        env = MarkovianChunk(SumEnv(), size=40, carry=carry, max_chunks=20)
        context, _ = env.reset(seed=0)
        reward, ended = 0.0, False
        while not ended:
            question, _, carried = context.partition("\n")
            done, total = 0, 0
            if "#" in carried:  # the last note "#done:total;"
                done, total = map(int, carried.rpartition("#")[2].rstrip(";").split(":"))
            numbers = list(map(int, question.split()))
            end = done == len(numbers)
            note = f"#{done + 1:02d}:{total + numbers[done]:04d};" if not end else ""
            context, reward, ended, _, _ = env.step(f"<answer>{total}</answer>" if end else note)
        return reward

    assert run(carry=9) == 1.0
    assert run(carry=0) == 0.0


def test_wrong_arguments_are_refused() -> None:
    for make in (
        lambda: UnaryFeedback(easy(), max_turns=0),
        lambda: UnaryFeedback(easy(), gamma=0.0),
        lambda: TwoAttempts(easy(), stage=3),
        lambda: MarkovianChunk(easy(), size=5, carry=5),
    ):
        with pytest.raises(ValueError, match=r"required|stage"):
            make()
    with pytest.raises(TypeError, match="get_state"):
        UnaryFeedback(gym.make("helpers.audited:Planted/Stream-v0"))
    with pytest.raises(TypeError, match="text environment"):
        TwoAttempts(gym.make("CartPole-v1"))
