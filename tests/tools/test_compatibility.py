"""The examples for other libraries, their record and its page."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def compatibility(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """The tool that runs them."""
    return load_tool("compatibility")


def test_examples_are_short_and_name_their_packages(compatibility: ModuleType) -> None:
    for name, path in compatibility.EXAMPLES.items():
        text = path.read_text()
        assert compatibility.lines_of_code(text) <= 40, name
        assert compatibility.listed(text, "requires"), name
        assert path.parent.name in compatibility.GROUPS, name


def test_the_page_is_that_of_the_record_and_every_example_was_run(
    compatibility: ModuleType,
) -> None:
    record = json.loads(compatibility.RECORD.read_text())
    assert set(record) == set(compatibility.EXAMPLES)
    assert all(row["verdict"] in ("learns", "works") for row in record.values())
    assert compatibility.PAGE.read_text() == compatibility.page(record)
    for name, row in record.items():
        text = compatibility.EXAMPLES[name].read_text()
        assert row["digest"] == compatibility.digest(text), f"{name} was changed: run it"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([0, 1, 0, 1] * 10, [1, 1, 1, 1] * 10, "learns"),
        ([0, 1, 0, 1] * 10, [1, 0, 1, 0] * 10, "runs, no gain shown"),
        ([1, 1, 1, 1] * 10, [0, 1, 0, 1] * 10, "runs, no gain shown"),
    ],
)
def test_an_example_learns_if_the_interval_of_its_gain_is_above_zero(
    compatibility: ModuleType, before: list[int], after: list[int], verdict: str
) -> None:
    assert compatibility.judged({"before": before, "after": after})["verdict"] == verdict


def test_the_interval_is_that_of_a_difference_of_means(compatibility: ModuleType) -> None:
    # 400 coins a side: the standard error of the difference is sqrt(2 * 0.25 / 400) = 0.03536.
    says = compatibility.judged({"before": [0, 1] * 200, "after": [0, 1, 1, 1] * 100})["says"]
    assert says.startswith("0.50 to 0.75 (gain ")
    low, high = (float(one) for one in says.partition("gain ")[2].rstrip(")").split(" to "))
    error = (0.25 / 400 + 0.1875 / 400) ** 0.5
    assert low == pytest.approx(0.25 - 1.96 * error, abs=0.01)
    assert high == pytest.approx(0.25 + 1.96 * error, abs=0.01)


def test_an_example_is_run_and_a_failure_is_one_line(
    compatibility: ModuleType, tmp_path: Path
) -> None:
    folder = tmp_path / "control"
    folder.mkdir()
    works = folder / "works.py"
    works.write_text(
        '"""A world steps."""\n# requires: numpy\nimport zerogym\nenv = zerogym.make("Chain")\n'
        'env.reset(seed=0)\nprint(\'{"checked": "%s"}\' % env.step(0)[2])\n'
    )
    row = compatibility.run(works)
    assert (row["verdict"], row["says"], row["group"]) == ("works", "False", "control")
    assert list(row["versions"]) == ["numpy"] and row["lines"] == 6
    works.write_text('"""A mistake."""\n# requires: numpy\nraise ValueError("no such thing")\n')
    row = compatibility.run(works)
    assert (row["verdict"], row["says"]) == ("fails", "ValueError: no such thing")


@pytest.mark.proof
@pytest.mark.parametrize(
    "name",
    [
        "cleanrl_style", "open_spiel", "sb3_contrib_maskable_ppo", "sb3_contrib_recurrent_ppo",
        "stable_baselines3_her", "stable_baselines3_ppo", "trl_environment",
    ],
)  # fmt: skip
def test_an_example_whose_library_comes_with_ours_still_works(
    compatibility: ModuleType, name: str
) -> None:
    path = compatibility.EXAMPLES[name]
    for package in compatibility.listed(path.read_text(), "requires"):
        pytest.importorskip(package.replace("-", "_").replace("open_spiel", "pyspiel"))
    assert compatibility.run(path)["verdict"] in ("learns", "works")
