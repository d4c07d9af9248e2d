"""`NovelLib`: tasks that every step matters in, three places of documents, the judge."""

import numpy as np
import pytest

from helpers.tools.plans import answer_is_hidden, check_expert
from zerogym.envs.tools.novel_lib.env import NovelLibEnv
from zerogym.envs.tools.novel_lib.library import make_library
from zerogym.envs.tools.novel_lib.program import read_program
from zerogym.envs.tools.novel_lib.tasks import outcome


@pytest.mark.parametrize("documents", ["tool", "prompt", "hidden"])
def test_the_expert_scores_1_by_its_plan(documents):
    for difficulty in (0, 1.5, 4):
        env = NovelLibEnv(difficulty=difficulty, documents=documents)
        for seed in range(6):
            check_expert(env, seed)
            assert answer_is_hidden(env, seed)


@pytest.mark.proof
def test_the_expert_on_many_seeds():
    env = NovelLibEnv(difficulty=(0.0, 4.0))
    for seed in range(1000):
        check_expert(env, seed)
        assert answer_is_hidden(env, seed)


def test_results_of_searches_hold_all_that_the_program_needs():
    env = NovelLibEnv(difficulty=2)
    for seed in range(10):
        prompt, _ = env.reset(seed=seed)
        task = env._episode.problem
        texts = []
        for _ in env.expert_plan():
            texts.append(env.step(env.oracle_action())[0])
        for step, text in zip(task.steps, texts, strict=True):
            entry = task.library.of[step.operation.key]
            assert entry.document in text and entry.name not in prompt


def test_the_same_task_needs_another_program_in_another_library():
    env = NovelLibEnv(difficulty=1)
    for seed in range(10):
        env.reset(seed=seed)
        task = env._episode.problem
        twin = type(task)(task.number + 1, task.steps, task.inputs)
        first = env.reset(options={"problem": task})[0].replace(task.library.name, "LIB")
        assert first == env.reset(options={"problem": twin})[0].replace(twin.library.name, "LIB")
        assert env.step(f"<answer>{task.answer}</answer>")[1] == 0.0
        env.reset(options={"problem": twin})
        assert env.step(f"<answer>{twin.answer}</answer>")[1] == 1.0


def test_every_step_and_the_order_of_numbers_matter():
    env = NovelLibEnv(difficulty=2)
    swaps = 0
    for seed in range(40):
        env.reset(seed=seed)
        task = env._episode.problem
        results = [outcome(task.steps, values) for values in task.inputs]
        assert results == list(task.results)
        library = task.library
        for place, step in enumerate(task.steps):
            rest = task.steps[:place] + task.steps[place + 1 :]
            shorter = type(task)(task.number, rest, task.inputs).answer
            program = read_program(shorter, library)
            assert [program.run(values) for values in task.inputs] != results
            swaps += len(step.numbers) > 1
    assert swaps > 3


def test_documents_stand_where_they_should():
    for seed in range(5):
        library = make_library(seed)
        prompts = {
            where: NovelLibEnv(library=seed, documents=where).reset(seed=seed)[0]
            for where in ("tool", "prompt", "hidden")
        }
        for entry in library.entries.values():
            shown = {where for where, text in prompts.items() if entry.name in text}
            assert shown == {"prompt"} and entry.document in prompts["prompt"]
        env = NovelLibEnv(library=seed, documents="hidden")
        env.reset(seed=seed)
        assert [tool.name for tool in env.tools] == ["submit"]


def test_one_library_for_all_episodes_or_one_each():
    fixed, drawn = NovelLibEnv(library=7), NovelLibEnv()
    numbers = {env: [] for env in (fixed, drawn)}
    for env, found in numbers.items():
        for seed in range(6):
            env.reset(seed=seed)
            found.append(env._episode.problem.number)
    assert set(numbers[fixed]) == {7} and len(set(numbers[drawn])) == 6


def test_a_program_is_judged_by_all_hidden_inputs():
    env = NovelLibEnv(library=3, difficulty=0)
    for seed in range(40):
        env.reset(seed=seed)
        task = env._episode.problem
        if task.steps[0].operation.key == "largest":
            break
    state, library = env.get_state(), task.library
    right = [values for values in task.inputs if max(values) == sorted(values)[-1]]
    assert len(right) == 12
    name = library.of["largest"].name
    for program, passed in ((f"a = {name}(xs)\na", 1.0), ("14", None), ("xs", 0.0), ("x y", 0.0)):
        env.set_state(state)
        _, reward, over, _, info = env.step(f"<answer>{program}</answer>")
        if passed is None:
            passed = sum(max(values) == 14 for values in task.inputs) / 12
            assert 0 < passed < 1
        assert (info["passed"], reward, over) == (passed, float(passed == 1.0), True)


def test_programs_can_be_tried():
    env = NovelLibEnv(library=3, difficulty=0)
    env.reset(seed=0)
    total = make_library(3).of["total"].name
    run = '<run_program>{"program": "%s", "values": [1, 2, 3]}</run_program>'
    assert env.step(run % f"{total}(xs)")[0] == "<result>\n6\n</result>"
    text, _, _, _, info = env.step(run % "nothing(xs)")
    assert "Error: the library has no function 'nothing'." in text and info["failed_calls"] == 1
    text, _, _, _, info = env.step("<search_documents>zzz</search_documents>")
    assert "No document has any of these words." in text and info["failed_calls"] == 2


def test_guessing_seldom_succeeds():
    env, rng = NovelLibEnv(difficulty=0), np.random.default_rng(5)
    scores = []
    for seed in range(200):
        env.reset(seed=seed)
        scores.append(env.step(env.random_action(rng))[1])
    assert np.mean(scores) < 0.1


def test_bad_arguments_are_refused():
    for wrong in (-1, 10**6, True, "a", 1.0):
        with pytest.raises(ValueError, match="library must be None or from 0"):
            NovelLibEnv(library=wrong)
    with pytest.raises(ValueError, match="documents must be one of"):
        NovelLibEnv(documents="nowhere")
