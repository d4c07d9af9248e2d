"""Curricula: progress is that of the run, whatever plays the episodes, killed or not."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import Scripted
from helpers.llm.small_runs import equal, untimed_lines, weights_of
from zerogym.agents.llm.algorithms.prompts.cog_drift import CogDrift
from zerogym.agents.llm.algorithms.prompts.sec import SEC
from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Episode, Player
from zerogym.agents.llm.rollout.runner import play
from zerogym.agents.llm.training.batch import collect
from zerogym.agents.llm.training.prompt_states import PromptStates
from zerogym.agents.trajectory import Trajectory, read_jsonl
from zerogym.errors import PartFailed
from zerogym.wrappers.prompts.reformulate import FORMS

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.training.grpo import train  # noqa: E402

CALCULATION = "zerogym/RandomCalculation-v0"


class Growing:
    """Replies that are right in the forms up to the skill, which grows by one every two steps."""

    def __init__(self) -> None:
        self.step = 0

    def __call__(self, prompt: str) -> str:
        form = "mcq" if "letter" in prompt else "cloze" if "missing" in prompt else "open"
        first = {"mcq": 2 if "\nJ) " in prompt else 0, "cloze": 4, "open": 6}[form]
        right = eval(re.findall(r"Calculate (.+)\.\n", prompt)[-1])
        return f"<answer>{right if self.step >= first else 99999}</answer>"


def one_by_one(envs: Environments, planned: Any, players: Any, *_: Any) -> list[Trajectory]:
    """Play all episodes in one copy of the environment."""
    episodes = [Episode(one.number, one.prompt, one.group, key=one.key) for one in planned]
    return play(envs, episodes, players, 1, False, None)


@pytest.mark.claim(
    "cog_drift", says="Each problem climbs from choices to open answers as the skill grows."
)
@pytest.mark.claim(
    "cog_drift", says="Problems climb from four options to the open form as the skill grows."
)
@pytest.mark.parametrize("copies", ["one", "many", "resumed"])
def test_each_problem_climbs_the_forms_as_the_skill_grows(copies: str) -> None:
    part = CogDrift(size=3, tries=4)
    config = GRPOConfig(
        env=CALCULATION, env_kwargs={"difficulty": 0}, prompts=part, prompts_per_step=3,
        group_size=4,
    )  # fmt: skip
    skill, states = Growing(), PromptStates(part, 0)
    posed = defaultdict(list)
    with Environments(config.env, config.env_kwargs) as envs:
        for step in range(9):
            if copies == "resumed":
                saved = json.loads(json.dumps(states.record(step)))
                states = PromptStates(part, 0)
                states.load(saved)
                envs.close()
            skill.step = step
            batch = collect(
                envs, config, np.random.default_rng(step),
                lambda seed: Player(Scripted(skill), Sampling(9, seed=seed)),
                *([one_by_one] if copies == "one" else []), state=states.before(step),
            )  # fmt: skip
            for prompt in batch.prompts:
                posed[prompt.key].append(prompt.options["form"])
            measures = states.learn(step, batch.outcomes(None))
        made = sum(len(own._all) for own in envs._others.values())
    # Right in step 0; wrong, then right in steps 1 and 2 (4 of 8), and in 3 and 4.
    forms = ["mcq4", "mcq10", "mcq10", "cloze", "cloze", "open", "open", "open", "open"]
    assert list(posed.values()) == [forms] * 3
    assert measures == {f"prompts/{form}": float(form == "open") for form in FORMS}
    assert made == (1 if copies == "one" else 12)


def settings(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=4, prompts_per_step=3,
        group_size=3, max_new_tokens=4, lr=3e-3, eval_episodes=0, device="cpu", seed=5,
        save_every=1, keep_rollouts=True, prompts=SEC(difficulties=(1, 2, 3), temperature=0.1),
    )  # fmt: skip


def posed_by(config: GRPOConfig) -> list[Any]:
    """The problem and the reply ids of each episode of a run."""
    return [
        (item.key, [turn.action_ids for turn in item.turns])
        for path in sorted(Path(config.out).glob("rollouts/*.jsonl"))
        for item in read_jsonl(path)
    ]


def prompt_states(config: GRPOConfig) -> Any:
    [path] = Path(config.out).glob("checkpoint-*/run.json")
    return json.loads(path.read_text("utf-8"))["prompts"]


@pytest.mark.parametrize("staleness", [0, 2])
def test_a_run_that_is_killed_in_a_curriculum_ends_as_one_that_is_not(
    digits: str, start: Path, tmp_path: Path, staleness: int
) -> None:
    config = settings(digits, start, tmp_path)
    if staleness:
        config = replace(config, staleness=staleness, correction="token_mask")
    whole = train(config)

    def die(metrics: Any) -> None:
        if metrics["step"] == 3:
            raise RuntimeError("killed")

    halves = replace(config, out=config.out + "2")
    with pytest.raises(RuntimeError, match="killed"):
        train(halves, die)  # the last checkpoint is that of step 2
    resumed = train(halves, resume=True)
    assert equal(weights_of(resumed.model), weights_of(whole.model))
    assert posed_by(halves) == posed_by(config) and untimed_lines(halves) == untimed_lines(config)
    assert prompt_states(halves) == prompt_states(config)
    versions = sorted(map(int, prompt_states(config)))
    assert versions == list(range(4 - staleness, 5))
    assert len(prompt_states(config)["4"]) > 1, "no arm but one was drawn"


def test_prompts_are_drawn_from_the_state_that_is_as_old_as_the_weights() -> None:
    states = PromptStates(SEC(difficulties=(1, 2)), 2)
    for step in range(5):
        assert states.before(step) == ({} if step < 3 else {"steps": step - 2})
        states._states[step + 1] = {"steps": step + 1}
    assert sorted(states.record(5)) == ["3", "4", "5"]


def test_a_part_that_cannot_learn_is_named_and_the_step_is_saved(
    digits: str, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(settings(digits, start, tmp_path), save_every=0)

    def learn(self: Any, outcomes: Any, state: Any) -> None:
        if outcomes[0].advantage is not None and len(state) > 0:
            raise KeyError("mine")
        state["1.0"] = 0.5

    monkeypatch.setattr(SEC, "learn", learn)
    with pytest.raises(PartFailed, match=r"sec raised KeyError.*checkpoint-000002"):
        train(config)
    monkeypatch.undo()
    assert prompt_states(config) == {"2": {"1.0": 0.5}}
    assert train(config, resume=True).step == 4
