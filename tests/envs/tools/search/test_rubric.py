"""Citations prove facts by CaRR's rule, and noise rises by ZeroSearch's formula."""

import math

import pytest

from zerogym.envs.tools.search.env import SearchEnv
from zerogym.envs.tools.search.generated_corpus import RELATIONS, Fact
from zerogym.envs.tools.search.noise import noise_probability, sentences
from zerogym.envs.tools.search.rubric import cited, connected, rubric_share

BIRTHPLACE, RIVER, SOURCE = RELATIONS[0], RELATIONS[7], RELATIONS[9 + 1]
WALK = (Fact("Mira Tol", BIRTHPLACE, "Osk"), Fact("Osk", RIVER, "Ren"), Fact("Ren", SOURCE, "Pol"))
READ = {"a": WALK[:1], "b": WALK[1:2], "c": WALK[2:], "d": (Fact("Osk", RIVER, "Vin"),)}


def share(reply: str) -> float:
    return rubric_share(WALK, ["Pol"], reply, READ)


@pytest.mark.parametrize(
    ("reply", "proved"),
    [
        ("Pol\nMira Tol: Osk [a]\nOsk: Ren [b]\nRen: Pol [c]", 3),
        ("Pol, by Osk and Ren [a][b][c]", 3),
        ("Pol, by OSK and ren [c] [b] [a]", 3),
        ("Pol, by Osk and Ren", 0),  # nothing is cited
        ("Pol, by Osk and Ren [a][c]", 1),  # all are named, the chain is broken: the first is lost
        ("Pol, by Osk and Ren [a][b]", 0),  # the last is not proved, so that nothing is linked
        ("Pol, by Osk and Ren [b][c]", 2),
        ("Pol, by Osk and Ren [a][d][c]", 1),  # a page that states another fact
        ("Pol, by Osk and Ren [a][b][x]", 0),  # a page that was not read
        ("Pol, by Ren [a][b][c]", 1),  # Osk is not named
        ("Pol, by Oskar and Ren [a][b][c]", 1),  # nor is it here
        ("Osk and Ren [a][b][c]", 0),  # the answer is not named
        ("", 0),
    ],
)
def test_the_share_of_proved_facts_by_hand(reply: str, proved: int) -> None:
    assert share(reply) == proved / 3


def test_a_chain_reaches_over_branches_and_circles() -> None:
    rubrics = [{"E0", "E1"}, {"E1", "E2"}, {"E2", "E1"}, {"E3"}, {"E4", "E0"}, {"E2", "E5"}]
    every = [True] * 6
    assert connected(rubrics, every, ["E0"]) == [True, True, True, False, True, True]
    assert connected(rubrics, [False, *every[1:]], ["E0"]) == [False] * 4 + [True, False]
    assert connected(rubrics, every, ["E9"]) == [False] * 6


def test_both_years_of_a_difference_end_a_chain() -> None:
    facts = (*WALK[:1], Fact("Osk", RELATIONS[9], "1200"), Fact("Vin", RELATIONS[9], "1350"))
    read = {str(number): [fact] for number, fact in enumerate(facts)}

    def proved(cite: str) -> float:
        return rubric_share(facts, ["1200", "1350"], f"150, Osk 1200 1350 {cite}", read) * 3

    assert proved("[0][1][2]") == 3 and proved("[1][2]") == 2 and proved("[0][2]") == 1


def test_citations_are_few_and_short() -> None:
    assert cited(" ".join(f"[p{i}]" for i in range(50))) == [f"p{i}" for i in range(20)]
    assert cited("[" * 10**6) == [] and cited(f"[{'x' * 81}] [[y]]") == ["y"]


def test_the_weight_of_the_rubric_and_a_broken_chain_in_the_world() -> None:
    env = SearchEnv(difficulty=2, category="plain", rubric_weight=0.3)

    def score(cite: tuple[int, ...], answer: str | None = None) -> tuple[float, float]:
        env.reset(seed=4)
        for _ in range(6):
            env.step(env.oracle_action())
        problem = env._episode.problem
        names = ", ".join(fact.object for fact in problem.facts)
        ids = "".join(f"[{problem.evidence[place]}]" for place in cite)
        reply = f"<answer>{answer or problem.answer} {ids}\n{names}</answer>"
        _, reward, _, _, info = env.step(reply)
        return float(reward), info["rubric"]

    assert score((0, 1, 2)) == (1.0, 1.0)
    assert score((0, 2)) == (pytest.approx(0.7 + 0.3 / 3), 1 / 3)
    assert score((0, 1)) == (pytest.approx(0.7), 0.0)
    assert score((0, 1, 2), "Nowhere") == (0.0, 1.0)
    env.reset(seed=4)
    _, reward, _, _, info = env.step(env.answer_action())
    assert (reward, info["rubric"]) == (pytest.approx(0.7), 0.0)  # right by luck


def test_noise_rises_by_the_formula() -> None:
    for step in range(0, 201, 25):
        share = (math.exp(math.log(4) * step / 200) - 1) / 3
        assert noise_probability(step, 200) == pytest.approx(0.25 + 0.25 * share, abs=1e-15)
    assert noise_probability(100, 200, 0.0, 0.9) == pytest.approx(0.3)  # (2 - 1) / 3 of it
    assert noise_probability(50, 200, 0.2, 0.6, base=1) == pytest.approx(0.3)
    assert noise_probability(7, 9, 0.1, 0.8, 1 + 1e-9) == pytest.approx(
        noise_probability(7, 9, 0.1, 0.8, 1), abs=1e-6
    )
    assert noise_probability(1, 2, 0.8, 0.2, 9) == pytest.approx(0.65)  # it may fall, too
    for wrong in ((-1, 5), (6, 5), (0, 0), (1, 5, -0.1), (1, 5, 0, 1.1), (1, 5, 0, 1, 0)):
        with pytest.raises(ValueError):
            noise_probability(*wrong)


def test_sentences_end_at_signs_and_lines() -> None:
    assert sentences("One. Two! Three?\n\nFour at 1.5 bar") == [
        "One.", "Two!", "Three?", "Four at 1.5 bar",
    ]  # fmt: skip
