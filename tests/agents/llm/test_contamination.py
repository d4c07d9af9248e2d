"""The probe for problems that are known by heart: a scripted memoriser and a blind guesser."""

import pytest

import zerogym
from helpers.llm.scripted_engine import Scripted
from zerogym.agents.llm import prefix_probe
from zerogym.agents.llm.contamination import hidden_parts

EPISODES = 12


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    """Problems of the test side and their right answers."""
    env = zerogym.make("RandomCalculation", difficulty=3, split="test")
    found = {}
    for seed in range(EPISODES):
        prompt, _ = env.reset(seed=seed)
        found[prompt] = env.unwrapped.oracle_action()
    return found


def test_a_memoriser_completes_and_answers_all(known: dict[str, str]) -> None:
    def remember(prefix: str) -> str:
        (prompt,) = (prompt for prompt in known if prompt.startswith(prefix))
        assert len(prefix) < prompt.index(".")
        return f"{prompt[len(prefix) :]}\n{known[prompt]}"

    found = prefix_probe(Scripted(remember), "RandomCalculation", episodes=EPISODES, difficulty=3)
    assert (found.problems, found.completed, found.answered) == (EPISODES, 1.0, 1.0)
    assert found.completed_interval[0] > 0.7 and found.completed_interval[1] == 1.0


def test_half_of_the_memory_is_half_of_the_score(known: dict[str, str]) -> None:
    """It completes the problems with an even number and answers every third right away."""

    def remember(prefix: str) -> str:
        (place,) = (n for n, prompt in enumerate(known) if prompt.startswith(prefix))
        prompt = list(known)[place]
        text = prompt[len(prefix) :] if place % 2 == 0 else " no idea"
        return f"{text} {known[prompt]}" if place % 3 == 0 else text

    found = prefix_probe(Scripted(remember), "RandomCalculation", episodes=EPISODES, difficulty=3)
    assert (found.completed, found.answered) == (0.5, pytest.approx(1 / 3))


def test_a_blind_guesser_knows_nothing() -> None:
    """Nor does one that has learned the words that all problems end with."""
    for text in (
        "",
        " + 1.",
        "\nGive the final answer as <answer>...</answer>. <answer>zero</answer>",
    ):
        found = prefix_probe(Scripted(lambda _, text=text: text), "RandomCalculation",
                             episodes=EPISODES, difficulty=3)  # fmt: skip
        assert (found.completed, found.answered) == (0.0, 0.0)
        assert found.completed_interval[0] == 0.0


@pytest.mark.claim(
    "prefix probe", says="Of generated problems a trained model completes none, and answers none."
)
def test_the_tiny_model_knows_no_generated_problem() -> None:
    """It was trained on problems of this generator, but not on these."""
    pytest.importorskip("transformers")
    found = prefix_probe("tiny", "RandomCalculation", episodes=20, difficulty=3)
    assert (found.completed, found.answered) == (0.0, 0.0)


def test_a_longer_number_is_another_number(known: dict[str, str]) -> None:
    """The hidden part must end where a word does."""

    def nearly(prefix: str) -> str:
        (prompt,) = (prompt for prompt in known if prompt.startswith(prefix))
        hidden = prompt[len(prefix) : prompt.index(".")]
        return f"{hidden}0" if hidden[-1].isdigit() else f"{hidden[:-1]}0{hidden[-1]}"

    found = prefix_probe(Scripted(nearly), "RandomCalculation", episodes=EPISODES, difficulty=3)
    assert found.completed == 0.0


def test_what_is_hidden_is_of_the_problem_itself() -> None:
    """Not the words that all problems begin or end with."""
    problems = ["Add 1 + 2 and say it.", "Add 10 + 20 + 30 and say it.", "Add 7 and say it."]
    cuts = hidden_parts(problems, 0.6)
    assert [text[slice(*cut)] for text, cut in zip(problems, cuts, strict=True)] == [
        "2", "+ 30", "7",
    ]  # fmt: skip
    for same in (["Add 1.", "Add 1."], ["1", "23"]):
        with pytest.raises(ValueError, match="nothing can be hidden"):
            hidden_parts(same, 0.5)


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        prefix_probe("tiny", "Countdown", share=1.0)
    with pytest.raises(ValueError, match="two problems at least"):
        prefix_probe("tiny", "Countdown", episodes=1)
