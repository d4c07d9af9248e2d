"""Wrappers that change the question: prefixes, easier forms, numbers instead of words, tokens."""

from typing import Any, cast

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.reasoning.core import ReasoningEnv
from zerogym.errors import UnknownName
from zerogym.wrappers.conversion.multiple_choice import MultipleChoice, hashed_trigrams
from zerogym.wrappers.conversion.token_env import TokenEnv
from zerogym.wrappers.prompts.prefixes import CONTINUE, FlawedPrefix, PrefixHint
from zerogym.wrappers.prompts.reformulate import Reformulate, with_gaps


def made(difficulty: float = 2.0, task: str = "RandomCalculation") -> gym.Env[str, str]:
    return gym.make(f"zerogym/{task}-v0", difficulty=difficulty)


def problem_of(env: gym.Env[Any, Any]) -> Any:
    return cast(ReasoningEnv, env.unwrapped).get_state()["episode"].problem


def test_prefix_hint_shows_the_share_of_lines() -> None:
    for share, shown in ((0.0, 0), (0.5, 1), (0.7, 2), (1.0, 3)):
        env = PrefixHint(made(), share=(share, share))
        prompt, info = env.reset(seed=3)
        lines = problem_of(env).solution.splitlines()
        assert len(lines) == 3
        assert info["prefix"] == "\n".join(lines[:shown])
        plain = made().reset(seed=3)[0]
        assert prompt == (f"{plain}\n\n{CONTINUE}\n{info['prefix']}" if shown else plain)


def test_prefix_hint_mixes_plain_problems_and_takes_a_bank() -> None:
    env = PrefixHint(made(), share=(1.0, 1.0), rate=0.25)
    hinted = [bool(env.reset(seed=seed)[1]["prefix"]) for seed in range(400)]
    assert np.mean(hinted) == pytest.approx(0.25, abs=0.07)
    prompt = made().reset(seed=3)[0]
    env = PrefixHint(made(), share=(1.0, 1.0), bank={prompt: "my own trace"})
    assert env.reset(seed=3)[1]["prefix"] == "my own trace"
    assert env.reset(seed=4)[1]["prefix"] == "", "no trace for this one"


def test_flawed_prefix_ends_with_a_line_that_the_solution_does_not_have() -> None:
    env = FlawedPrefix(made(), rate=0.5)
    flawed = 0
    for seed in range(200):
        prompt, info = env.reset(seed=seed)
        if info["flawed"]:
            flawed += 1
            right = problem_of(env).solution.splitlines()
            wrong = info["prefix"].splitlines()
            assert wrong[:-1] == right[: len(wrong) - 1]
            assert wrong[-1] != right[len(wrong) - 1]
            assert prompt.endswith(info["prefix"])
        else:
            assert CONTINUE not in prompt
        assert env.step(env.unwrapped.oracle_action())[1] == 1.0  # type: ignore[attr-defined]
    assert 70 < flawed < 130


def test_a_problem_climbs_the_forms_as_it_is_mastered() -> None:
    env = Reformulate(made(0), tries=2, promote_at=0.5)
    forms = []
    for _ in range(10):
        _, info = env.reset(seed=1)
        forms.append(info["form"])
        assert env.step(env.unwrapped.oracle_action())[1] == 1.0  # type: ignore[attr-defined]
    assert forms == ["mcq4"] * 2 + ["mcq10"] * 2 + ["cloze"] * 2 + ["open"] * 4
    assert env.reset(seed=2)[1]["form"] == "mcq4", "another problem starts at the bottom"


def test_a_form_of_the_options_is_posed_and_leaves_the_progress_alone() -> None:
    env = Reformulate(made(0), tries=1, promote_at=0.5)
    for form in ("open", "cloze", "mcq10", "mcq4"):
        _, info = env.reset(seed=1, options={"form": form, "difficulty": 1})
        assert (info["form"], info["difficulty"]) == (form, 1)
        env.step(env.unwrapped.oracle_action())  # type: ignore[attr-defined]
    assert env.reset(seed=1, options={"difficulty": 1})[1]["form"] == "mcq4"
    with pytest.raises(UnknownName, match=r"'mcq5'.*mean 'mcq4'"):
        env.reset(seed=1, options={"form": "mcq5"})


def test_a_problem_that_is_not_mastered_stays() -> None:
    env = Reformulate(made(0), tries=2, promote_at=0.6)
    for turn in range(6):
        _, info = env.reset(seed=1)
        assert info["form"] == "mcq4"
        reply = env.unwrapped.oracle_action() if turn % 2 else "1000"  # type: ignore[attr-defined]
        env.step(reply)


def test_the_letter_and_the_option_are_right_in_a_multiple_choice() -> None:
    for form, count in (("mcq4", 4), ("mcq10", 10)):
        env = Reformulate(made(1), forms=(form,))  # type: ignore[arg-type]
        for seed in range(20):
            text, _ = env.reset(seed=seed)
            options = [line.partition(") ")[2] for line in text.splitlines() if line[1:3] == ") "]
            answer = problem_of(env).answer
            assert len(set(options)) == count and options.count(answer) == 1
            place = options.index(answer)
            letter, wrong = "ABCDEFGHIJ"[place], "ABCDEFGHIJ"[place - 1 if place else 1]
            right = {letter: 1, f"({letter.lower()})": 1, answer: 1, wrong: 0}
            for reply, score in right.items():
                assert env.reset(seed=seed)[0] == text, "the same options again"
                assert env.step(f"<answer>{reply}</answer>")[1] == score


def test_a_cloze_hides_half_of_the_answer() -> None:
    rng = np.random.default_rng(0)
    for answer, hidden in (("7", 1), ("-12/35", 2), ("x = 4, y = 10", 2), ("abcdef", 3)):
        gaps = with_gaps(answer, rng)
        assert len(gaps) == len(answer) and gaps.count("_") == hidden
        assert all(g in ("_", a) for g, a in zip(gaps, answer, strict=True))


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_multiple_choice_is_an_environment_with_chance_level_one_in_n() -> None:
    env = MultipleChoice(made(), options=4)
    check_env(MultipleChoice(made().unwrapped), skip_render_check=True)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    expected, oracle = [], []
    for seed in range(300):
        env.reset(seed=seed)
        expected.append(env.step(rng.integers(4))[1])
        observation, info = env.reset(seed=seed)
        assert len(set(info["options"])) == 4
        assert np.array_equal(observation[:256], hashed_trigrams(info["question"]))
        oracle.append(env.step(env.oracle_action())[1])
    assert np.mean(expected) == pytest.approx(0.25, abs=0.08)
    assert set(oracle) == {1.0}


def test_multiple_choice_refuses_what_is_no_option() -> None:
    env = MultipleChoice(made())
    env.reset(seed=0)
    with pytest.raises(ValueError, match="option"):
        env.step(4)
    with pytest.raises(TypeError, match="reasoning"):
        MultipleChoice(gym.make("zerogym/SQL-v0"))
    with pytest.raises(ValueError, match="2 to 26"):
        MultipleChoice(made(), options=1)


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_token_env_writes_the_same_replies_as_text() -> None:
    check_env(TokenEnv(made().unwrapped), skip_render_check=True)  # type: ignore[arg-type]
    env = TokenEnv(made(), max_tokens=12)
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        prompt = made().reset(seed=seed)[0]
        assert observation.tolist()[-5:] == env.encode(prompt)[-5:]
        tokens = env.encode(problem_of(env).answer)
        for n, token in enumerate(tokens, 1):
            observation, reward, ended, _, _ = env.step(token)
            assert (reward, ended) == (0.0, False)
            assert observation.tolist()[-n:] == tokens[:n]
        assert env.written == problem_of(env).answer
        assert env.step(env.end)[1:3] == (1.0, True)


def test_token_env_ends_at_its_limit_and_obeys_the_mask() -> None:
    digits = {str(n) for n in range(10)}

    def only_digits(written: Any) -> np.ndarray:
        allowed = [token in digits for token in env.vocabulary]
        return np.array([*allowed, len(written) > 0])

    env = TokenEnv(made(), max_tokens=3, mask=only_digits)
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == env.action_masks().astype(int).tolist()
    with pytest.raises(ValueError, match="allowed"):
        env.step(env.end)  # an empty reply is masked
    with pytest.raises(ValueError, match="allowed"):
        env.step(env.vocabulary.index("a"))
    assert [env.step(env.vocabulary.index("9"))[2] for _ in range(3)] == [False, False, True]


def test_words_are_tokens_too_and_the_longest_one_is_read() -> None:
    env = TokenEnv(made(), vocabulary=("a", "ab", "abc", "b"))
    assert env.encode("abcab?") == [2, 1, env.unknown]
    with pytest.raises(ValueError, match="different"):
        TokenEnv(made(), vocabulary=("a", "a"))


def test_maskable_ppo_learns_to_write() -> None:
    sb3 = pytest.importorskip("sb3_contrib")
    env = TokenEnv(made(0), max_tokens=3, context=40)
    model = sb3.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=0)
    model.learn(128)  # that it runs; what it learns in so few steps is nothing
    observation, _ = env.reset(seed=0)
    action, _ = model.predict(observation, action_masks=env.action_masks())
    assert env.action_space.contains(action)
