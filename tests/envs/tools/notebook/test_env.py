"""Notebook-v0: the episode, its cells, its expert, its limits."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product
from typing import Any

import pytest

from helpers.notebook_cases import ANSWER, cell, started
from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.splits import SPLITS, Split
from zerogym.envs.tools.notebook import env as module
from zerogym.envs.tools.notebook.env import NotebookEnv
from zerogym.envs.tools.notebook.reply import MAX_REPLY, Reply, read_reply
from zerogym.envs.tools.sandbox import Result
from zerogym.envs.tools.sandbox.notebook import Notebook
from zerogym.errors import SandboxUnavailable


def play(env: NotebookEnv, seed: int) -> list[Any]:
    """An episode of the expert."""
    record: list[Any] = [env.reset(seed=seed)]
    over = False
    while not over:
        action = env.oracle_action()
        record += [action, env.step(action)]
        over = record[-1][2] or record[-1][3]
    return record


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("<python>print(1)</python>", Reply(cell="print(1)")),
        ("<PYTHON>\nprint(1)\n</PYTHON>", Reply(cell="print(1)")),
        ("so\n```python\nx = 1\nx\n```\nLet me see.", Reply(cell="x = 1\nx")),
        ("```py\r\nx\r\n```", Reply(cell="x")),
        ("```python\nx = '''\n  a'''\n```", Reply(cell="x = '''\n  a'''")),
        ("  ```python\n    if x:\n        y\n  ```", Reply(cell="    if x:\n        y")),
        ("```python\na\n```\nand\n```python\nb\n```", Reply(cell="b")),
        ("<python>\n```python\na\n```\n</python>", Reply(cell="a")),
        ("```python\na", Reply(cell="a")),
        ("``` python\na\n```", Reply(cell="a")),
        ("<python>a", Reply(cell="a")),
        ("```python\nprint('<answer>1</answer>')\n```", Reply(cell="print('<answer>1</answer>')")),
        ("<answer>1</answer>\n```python\na\n```", Reply(cell="a")),
        ("```python\na\n```\n<answer>1</answer>", Reply(answer="1")),
        ("```python\na\n```\nSo \\boxed{1}.", Reply(answer="1")),
        ("<answer>```\n1\n```</answer>", Reply(answer="1")),
        ("<answer></answer>", Reply(answer="")),
        ("```python\n\n```", Reply()),
        ("<python> </python>", Reply()),
        ("```\nx\n```", Reply()),
        ("```bash\nls\n```", Reply()),
        ("The answer is 4.", Reply()),
        ("", Reply()),
        ("x" * 10 * MAX_REPLY + "<python>a</python>", Reply(cell="a")),
        ("<python>" + "x" * 10 * MAX_REPLY, Reply()),
    ],
)
def test_what_a_reply_is(reply: str, expected: Reply) -> None:
    assert read_reply(reply) == expected


@pytest.mark.proof
@needs_sandbox
def test_the_expert_computes_every_answer() -> None:
    def played(setting: tuple[Split, int]) -> list[str]:
        """The categories of episodes, side by side with those of other settings."""
        split, difficulty = setting
        env, categories = NotebookEnv(difficulty, split), []
        for seed in range(10):
            record = play(env, 31 * difficulty + seed)
            observation, reward, _, _, info = record[-1]
            assert (observation, reward, info["score"]) == ("Correct.", 1.0, 1.0)
            assert info["turn"] == (2 if difficulty == 0 else 3), "it looked where it must"
            assert record[-3][0].splitlines()[-1] == info["answer"], "and read the answer off"
            categories.append(info["category"])
        env.close()
        return categories

    with ThreadPoolExecutor(4) as pool:
        categories = set(chain(*pool.map(played, product(SPLITS, (0, 1, 2, 4)))))
    assert categories == set(NotebookEnv.categories)


@needs_sandbox
@pytest.mark.parametrize("max_turns", [2, 3])
def test_the_expert_keeps_to_the_turns_it_has(max_turns: int) -> None:
    env = NotebookEnv(1, max_turns=max_turns)
    assert all(play(env, seed)[-1][1] == 1.0 for seed in range(2))
    assert len(play(env, 0)) == 1 + 2 * max_turns, "a cell before the answer even then"


def test_an_answer_ends_the_episode_without_a_sandbox() -> None:
    env = started()
    observation, reward, terminated, truncated, info = env.step("It is \\boxed{21}.")
    assert (observation, reward, terminated, truncated) == ("Correct.", 1.0, True, False)
    assert info["score"] == 1.0 and info["correct"] and info["success"] and info["answer"] == "21"
    assert info["sandbox"] == "strong" and info["tool_calls"] == 0 and info["turn"] == 1
    env = started()
    _, reward, terminated, _, info = env.step("<answer>22</answer>")
    assert (reward, terminated, info["score"], info["answer"]) == (0.0, True, 0.0, "21")
    with pytest.raises(RuntimeError, match="reset"):
        env.step(ANSWER)


@pytest.mark.parametrize(
    "reply",
    ["", "21", "```\n1\n```", "\ud800", "<python>" * 10**6, "```" * 10**6],
)
def test_a_void_turn_says_what_is_missing(reply: str) -> None:
    env = started()
    observation, reward, terminated, truncated, info = env.step(reply)
    assert (reward, terminated, truncated, info["void_turn"]) == (0.0, False, False, True)
    assert "<answer>" in observation and info["feedback"] == observation
    assert info["turn"] == 1 and info["tool_calls"] == 0
    assert env.step(ANSWER)[1] == 1.0


def test_the_turns_end_without_reward() -> None:
    env = started(max_turns=3)
    steps = [env.step("hm") for _ in range(3)]
    assert [step[2:4] for step in steps] == [(False, False), (False, False), (False, True)]
    assert [step[1] for step in steps] == [0.0] * 3
    info = steps[-1][4]
    assert info["score"] == 0.0 and not info["success"] and info["answer"] == "21"


@needs_sandbox
def test_a_cell_in_the_last_turn_is_shown_without_reward() -> None:
    env = started(max_turns=2)
    assert env.step("<python>1 / 0</python>")[4]["failed_calls"] == 1
    observation, reward, terminated, truncated, info = env.step("<python>21</python>")
    assert (observation, reward, terminated, truncated) == ("21", 0.0, False, True)
    assert (info["tool_calls"], info["failed_calls"]) == (2, 1)
    assert info["score"] == 0.0 and "unavailable" not in info


def failing(times: int) -> Callable[[Notebook, str], Result]:
    """A run that fails through no fault of the cell, so many times."""
    left = [times]

    def run(self: Notebook, source: str) -> Result:
        left[0] -= 1
        return Result("unavailable") if left[0] >= 0 else Result("ok", "fine\n")

    return run


@needs_sandbox
def test_a_failure_of_the_sandbox_is_tried_again_then_ends_the_episode_unscored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Notebook, "run", failing(1))
    assert cell(started(), "1") == "fine"
    monkeypatch.setattr(Notebook, "run", failing(2))
    _, reward, terminated, truncated, info = started().step("<python>1</python>")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["unavailable"] is True and "score" not in info and not info["success"]


def test_a_machine_without_a_sandbox_says_so_at_the_first_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(level: str) -> None:
        raise SandboxUnavailable("install it")

    monkeypatch.setattr(module, "shared_sandbox", missing)
    env = started()
    with pytest.raises(SandboxUnavailable, match="install"):
        env.step("<python>1</python>")
    assert started().step(ANSWER)[1] == 1.0


def test_the_layout_is_shown_at_0_and_hidden_from_1_on() -> None:
    for category in NotebookEnv.categories:
        prompts = {d: NotebookEnv(d, category=category).reset(seed=0)[0] for d in (0, 1, 2)}
        assert "begins:" in prompts[0]
        assert "begins:" not in prompts[1] and "begins:" not in prompts[2]
        env = NotebookEnv(2, category=category)
        prompt, _ = env.reset(seed=0)
        files = env.get_state()["episode"].problem.files()
        assert all(name in prompt and text[:30] not in prompt for name, text in files.items())
    shown = sum("begins:" in NotebookEnv(0.5).reset(seed=seed)[0] for seed in range(100))
    assert 30 < shown < 70


def test_prompts_and_observations_fit() -> None:
    for difficulty, count in ((0, 40), (8, 8)):
        env = NotebookEnv(difficulty)
        prompts = [env.reset(seed=seed)[0] for seed in range(count)]
        assert all(env.observation_space.contains(prompt) for prompt in prompts)
        assert max(map(len, prompts)) < 2500


def test_render_shows_cells_and_output() -> None:
    env = started(render_mode="ansi")
    env.step("hm")
    assert "list.txt" in str(env.render()) and "hm" in str(env.render())


def test_bad_input_is_named() -> None:
    for turns in (1, 2.0, True):
        with pytest.raises(ValueError, match="max_turns"):
            NotebookEnv(max_turns=turns)  # type: ignore[arg-type]
