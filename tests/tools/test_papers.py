"""The page of papers: every paper that a docstring names has a title, its modules, their tests."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def papers(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """The tool that reads them."""
    return load_tool("papers")


def test_every_paper_has_a_title_and_a_year(papers: ModuleType) -> None:
    found = {paper.number: paper for paper in papers.papers()}
    nameless = {number: paper.modules for number, paper in found.items() if not paper.title}
    assert not nameless, 'name it in a docstring as "Title" (2021, arXiv 2103.07945)'
    paper = found["2103.07945"]
    assert (paper.title, paper.year) == (
        "Learning One Representation to Optimize All Rewards",
        "2021",
    )
    assert all(1990 < int(paper.year) < 2100 for paper in found.values())


@pytest.mark.parametrize(
    "text",
    [
        '"A Title: of Words" (2021, arXiv 2103.07945)',
        '"A Title: of Words" (ATW, 2021, arXiv 2103.07945)',
        '"A Title: of Words," by Somebody (2021, arXiv 2103.07945)',
        'as in "A Title: of Words", 2021, arXiv 2103.07945; "Another" (2020)',
    ],
)
def test_a_title_is_found(papers: ModuleType, text: str) -> None:
    assert papers.TITLED.findall(text) == [("A Title: of Words", "2021", "2103.07945")]


def test_the_test_of_a_module(papers: ModuleType, root: Path) -> None:
    for module, test in (
        ("envs/reasoning/logic/first_order.py", "reasoning/logic/test_first_order.py"),
        ("envs/control/gridworlds/letters.py", "control/gridworlds/test_letters.py"),
        ("envs/control/vehicles/quadrotors/quadrotor.py", "control/vehicles/test_quadrotor.py"),
    ):
        assert papers.test_of(Path(module)) == Path("tests/envs") / test
    modules = {module for paper in papers.papers() for module in paper.modules}
    tests = [papers.test_of(module) for module in modules]
    assert all((root / test).exists() for test in tests if test)
    assert tests.count(None) < len(tests) / 20


def test_each_paper_is_on_the_page_with_its_modules(papers: ModuleType) -> None:
    page = papers.page().replace("<wbr>", "")
    for paper in papers.papers():
        assert f"https://arxiv.org/abs/{paper.number}" in page
        assert all(f"<code>{module}</code>" in page for module in paper.modules)
