"""Web: the expert on every template needs each of its calls; chance; a start near the goal."""

import numpy as np
import pytest

from helpers.tools.plans import check_expert, gaps, play_calls
from zerogym.envs.tools.web.env import WebEnv
from zerogym.envs.tools.web.sample import MAX_ELEMENTS, TEMPLATES, sample_site

each_template = pytest.mark.parametrize("category", TEMPLATES)


def test_there_are_as_many_templates_as_promised() -> None:
    assert len(TEMPLATES) >= 15


@each_template
def test_the_expert_scores_and_needs_each_of_its_calls(category: str) -> None:
    for seed, (difficulty, pointing) in enumerate(((0, "number"), (3, "point"))):
        env = WebEnv(difficulty=difficulty, category=category, pointing=pointing)
        check_expert(env, seed)
        assert [score for _, score in gaps(env, seed)] == [0.0] * len(env.expert_plan())


@pytest.mark.proof
@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_the_expert_over_a_thousand_seeds(start: int) -> None:
    for seed in range(start, start + 100):
        env = WebEnv(
            difficulty=seed % 9,
            category=tuple(TEMPLATES)[seed % len(TEMPLATES)],
            pointing="point" if seed % 3 == 0 else "number",
            elements=100 if seed % 10 == 1 else 0,
        )
        check_expert(env, seed)
        if seed % 5 == 0:
            assert all(score == 0.0 for _, score in gaps(env, seed)), seed


@pytest.mark.proof
@each_template
def test_chance_is_below_a_twentieth(category: str) -> None:
    for difficulty in (0, 1):
        env, rng, won = (
            WebEnv(difficulty=difficulty, category=category),
            np.random.default_rng(4),
            0,
        )
        for seed in range(200):
            env.reset(seed=seed)
            over = False
            while not over:
                _, reward, terminated, truncated, _ = env.step(env.random_action(rng))
                over = terminated or truncated
            won += reward == 1
        assert won < 0.05 * 200, difficulty


@each_template
def test_the_goal_is_not_met_at_the_start_and_lost_by_doing_too_much(category: str) -> None:
    env = WebEnv(category=category)
    env.reset(seed=5)
    plan = list(env.expert_plan())
    _, reward, _, _, info = env.step("<answer>done</answer>")
    assert reward == 0 and info["feedback"] == "Nothing has been changed on the site."
    if category in ("form", "dropdowns", "survey", "login", "calendar", "inbox", "forum"):
        env.reset(seed=5)
        browser = env._running().state
        for tool, call in ((env._tools()[call.tool], call) for call in plan):
            page, edits, url = browser.page, dict(browser.edits), browser.url
            tool.call(call.arguments, browser)
        browser.page, browser.edits, browser.url = page, edits, url
        tool.call(call.arguments, browser)  # what was sent last, once more
        _, reward, _, _, info = env.step("<answer>done</answer>")
        assert reward == 0 and info["feedback"] == "The site keeps something else."


@pytest.mark.parametrize("pointing", ["number", "point"])
def test_done_carries_out_the_first_steps(pointing: str) -> None:
    whole = WebEnv(category="wizard", difficulty=3, pointing=pointing)
    whole.reset(seed=2)
    near = WebEnv(category="wizard", difficulty=3, pointing=pointing, done=0.5)
    prompt, _ = near.reset(seed=2)
    acts = len(near._running().problem.acts())
    assert 0 < len(near.expert_plan()) < len(whole.expert_plan())
    assert acts - int(acts / 2) <= len(near.expert_plan())
    assert f"Step {acts // 4 + 1} of" in prompt  # two acts a page
    check_expert(near, 2)
    left_out = play_calls(near, 2, list(near.expert_plan())[1:])
    assert left_out[0] == 0.0


@pytest.mark.parametrize("category", [name for name, each in TEMPLATES.items() if each.parts])
def test_a_part_of_an_instruction_is_a_task_of_its_own(category: str) -> None:
    """The same page with fewer changes required: doing all that the whole requires is too much."""
    whole = WebEnv(category=category, difficulty=5)
    part = WebEnv(category=category, difficulty=5, posed=0.5)

    def page(env: WebEnv, seed: int) -> str:
        return env.reset(seed=seed)[0].partition("\npage ")[2]

    # Problems belong to a split by their text, so that not every seed draws the same site.
    seed = next(seed for seed in range(50) if page(whole, seed) == page(part, seed))
    every, some = list(whole.expert_plan()), list(part.expert_plan())
    assert len(some) < len(every)
    check_expert(part, seed)
    assert [score for _, score in gaps(part, seed)] == [0.0] * len(some)
    assert play_calls(part, seed, every)[0] == 0.0


def test_the_least_part_of_an_instruction_is_one_field() -> None:
    env = WebEnv(category="form", difficulty=5, posed=1e-9)
    env.reset(seed=3)
    assert len(env.expert_plan()) == 2  # a field and the button
    assert WebEnv(category="shop", posed=0.1).reset(seed=1) == WebEnv(category="shop").reset(seed=1)


def test_nothing_on_a_page_gives_the_required_value_away() -> None:
    """Passwords, texts and dates that the task names stand on no page before they are typed."""
    for category in ("login", "form", "calendar", "inbox"):
        for seed in range(20):
            env = WebEnv(category=category, difficulty=1)
            prompt, _ = env.reset(seed=seed)
            page = prompt.partition("\npage ")[2].partition("You can use")[0]
            for act in env._running().problem.acts():
                assert act.tool != "type" or act.value not in page


def test_unfit_arguments_are_refused() -> None:
    for unfit in (
        {"pointing": "eye"},
        {"elements": 201},
        {"elements": True},
        {"done": 1},
        {"posed": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(unfit))):
            WebEnv(**unfit)


def test_a_huge_text_is_refused_in_words() -> None:
    env = WebEnv(category="form")
    env.reset(seed=0)
    text = '<type>{"element": 2, "text": "' + "x" * 10_000_000 + '"}</type>'
    observation, _, terminated, truncated, _ = env.step(text)
    assert not (terminated or truncated) and len(observation) < 2000
    observation = env.step('<type>{"element": 2, "text": "' + "x" * 5000 + '"}</type>')[0]
    assert "allowed are 2000" in observation


@each_template
def test_the_largest_pages_are_shown_whole(category: str) -> None:
    for pointing in ("number", "point"):
        env = WebEnv(difficulty=50, category=category, elements=MAX_ELEMENTS, pointing=pointing)
        text, _ = env.reset(seed=1)
        for call in env.expert_plan():
            assert "not shown" not in text
            text = env.step(env.format.write(env._tools()[call.tool], call.arguments))[0]


@each_template
def test_no_task_in_words_is_on_both_sides(category: str) -> None:
    sides: dict[str, set[str]] = {}
    for split in ("train", "test"):
        env = WebEnv(category=category, split=split, difficulty=0)
        for seed in range(12):
            _, info = env.reset(seed=seed)
            sides.setdefault(env._running().problem.question, set()).add(info["split"])
    assert all(len(found) == 1 for found in sides.values())
    assert set.union(*sides.values()) == {"train", "test"}


def test_sites_are_drawn_from_their_generator_only() -> None:
    for category in TEMPLATES:
        sites = [sample_site(np.random.default_rng(8), 3, category) for _ in range(2)]
        assert sites[0] == sites[1] and sites[0].goal() != sites[0].first_data()
