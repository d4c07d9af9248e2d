"""Train and test splits: disjoint by construction, of the right size, the same everywhere."""

import numpy as np
import pytest

from helpers.episodes import Case
from zerogym.envs.registry import TASKS, Task
from zerogym.envs.splits import SPLITS, TEST_SHARE, check_split, split_of
from zerogym.errors import ProblemSpaceTooSmall

DRAWS = 20_000
# Small spaces, in which a problem on both sides would be drawn twice; the audit looks at all ids.
SPLIT_TASKS = [
    task
    for task in TASKS
    if task.name in ("RandomCalculation", "Countdown", "ChainSum", "Rubik2x2")
]


def served(task: Task, split: str, difficulty: float, draws: int) -> set[str]:
    """The keys of problems of episodes that the environment really served."""
    env = Case(task, {"split": split, "difficulty": difficulty}).bare()
    env.reset(seed=1 if split == "train" else 2)
    found = set()
    for _ in range(draws):
        env.reset()
        found.add(env.canonical_key(env._episode.problem))  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("task", SPLIT_TASKS, ids=lambda task: task.name)
def test_no_problem_is_on_both_sides(task: Task) -> None:
    train, test = (served(task, split, 0.0, 400) for split in SPLITS)
    assert train and test and not train & test


@pytest.mark.proof
@pytest.mark.parametrize("task", SPLIT_TASKS, ids=lambda task: task.name)
def test_the_sides_share_no_problem(task: Task) -> None:
    train, test = (served(task, split, 0.0, DRAWS) for split in SPLITS)
    assert not train & test
    keys = set(Case(task, {"difficulty": 0.0}).bare().all_keys(0.0))  # type: ignore[attr-defined]
    assert train | test == keys
    again = served(task, "train", 0.0, DRAWS // 20)
    assert len(again & train) > 0.9 * len(again), "so a shared problem would have been drawn"


@pytest.mark.parametrize(
    ("name", "train", "test"),
    [
        ("ChainSum", 125, 30), ("Countdown", 113, 25), ("RandomCalculation", 123, 32),
        ("Rubik2x2", 8, 1), ("Sequences", 183, 33),
        pytest.param("RiverCrossing", 84, 14, marks=pytest.mark.proof),
    ],
)  # fmt: skip
def test_info_says_how_many_problems_there_are(name: str, train: int, test: int) -> None:
    task = next(task for task in TASKS if task.name == name)
    for split, count in (("train", train), ("test", test)):
        env = Case(task, {"split": split, "difficulty": 0.0}).bare()
        assert env.reset(seed=0)[1]["problems"] == count
        assert env.step("")[4]["problems"] == count
        assert f"{count} {split}" in " ".join((type(env).__doc__ or "").split())
        keys = set(env.all_keys(0.0))  # type: ignore[attr-defined]
        assert len(keys) == train + test
        found = served(task, split, 0.0, 15 * count)
        assert found <= keys and len(found) > 0.9 * count
    assert "problems" not in env.reset(options={"difficulty": 1.0})[1]


def test_the_share_of_the_test_side() -> None:
    sides = [split_of("task", str(number)) for number in range(20_000)]
    share = sides.count("test") / len(sides)
    assert abs(share - TEST_SHARE) < 4 * np.sqrt(TEST_SHARE * (1 - TEST_SHARE) / len(sides))


def test_the_sides_of_two_tasks_are_independent() -> None:
    texts = [str(number) for number in range(2_000)]
    same = sum(split_of("a", text) == split_of("b", text) for text in texts) / len(texts)
    expected = TEST_SHARE**2 + (1 - TEST_SHARE) ** 2
    assert abs(same - expected) < 4 * np.sqrt(expected * (1 - expected) / len(texts))


@pytest.mark.parametrize(
    ("task", "canonical", "side"),
    [
        ("CountdownEnv", "3 9 -> 6", "train"),
        ("CountdownEnv", "1 2 -> 3", "train"),
        ("RandomCalculationEnv", "1 + 1", "train"),
        ("", "", "train"),
        ("Ż", "\ud800", "train"),
        ("CountdownEnv", "6", "test"),
        ("CountdownEnv", "8", "test"),
    ],
)
def test_problems_never_change_sides(task: str, canonical: str, side: str) -> None:
    """Pinned: results of earlier versions would be void if a test problem became a train one."""
    assert split_of(task, canonical) == side


@pytest.mark.parametrize("split", ["", "Train", None, 0, "validation"])
def test_other_names_are_refused(split: object) -> None:
    with pytest.raises(ValueError, match="train"):
        check_split(split)


def test_a_side_without_problems_is_an_error_not_a_loop() -> None:
    case = Case(next(task for task in SPLIT_TASKS if task.name == "Countdown"))

    class OneProblem(type(case.bare())):  # type: ignore[misc]
        """Always draws the same."""

        @staticmethod
        def sample(rng: np.random.Generator, difficulty: float) -> object:
            return type(case.bare()).sample(np.random.default_rng(0), 0.0)

    outcomes = []
    for split in SPLITS:
        try:
            OneProblem(split=split).reset(seed=0)
            outcomes.append("served")
        except ProblemSpaceTooSmall:
            outcomes.append("refused")
    assert sorted(outcomes) == ["refused", "served"]
