"""Surveys in a rollout: exact beliefs, unchanged episodes, rewards for speaking that telescope."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.llm.scripted_engine import Scripted
from zerogym.agents.llm.algorithms.auxiliary.listening import survey_row
from zerogym.agents.llm.algorithms.prompts.discussions import Discussions
from zerogym.agents.llm.algorithms.rollout_tables import Draw, Step
from zerogym.agents.llm.algorithms.rollouts.speaking import Speaking, speaking_gains
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.context_window import CONTEXTS
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.planned import play_planned
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.llm.rollout.request import PlannedEpisode
from zerogym.agents.llm.rollout.runner import Player, rollout, rollout_groups
from zerogym.agents.posed_survey import PosedSurvey
from zerogym.agents.trajectory import Trajectory, Turn
from zerogym.envs.games.talk.question_tables import TABLES

QUESTIONS, THINGS = list(TABLES["things"].questions), TABLES["things"].answers
GAME, KWARGS = "zerogym/twenty_questions-v0", {"things": 6, "questions": 4}
NAMES = list(THINGS)[:6]
SPOKEN = re.compile(r"\[(?:you|player \d): ([a-z ]+)\]")


def answered(text: str) -> list[tuple[int, str]]:
    """The questions of the last transcript in a text, and their answers."""
    lines = SPOKEN.findall(text[max(text.rfind("You are guessing"), text.rfind("You hold")) :])
    return [(QUESTIONS.index(a), b) for a, b in zip(lines[::2], lines[1::2], strict=False)]


class Guesser(Scripted):
    """An engine that poses the questions in their order, and believes in what fits the answers."""

    def __init__(self) -> None:
        super().__init__(self.said)
        self.posed: list[str] = []

    def said(self, prompt: str) -> str:
        if "You hold" in prompt:
            thing = re.findall(r"You hold: (\w+)", prompt)[-1]
            question = QUESTIONS.index(SPOKEN.findall(prompt)[-1])
            answer = "yes" if THINGS[thing][question] == "1" else "no"
            return f"<think>It is. </think><answer>{answer}</answer>"
        made = len(answered(prompt))
        return f"<answer>{'guess eagle' if made == 4 else QUESTIONS[made]}</answer>"

    def score(self, prompts: Sequence[Any], continuations: Sequence[Any]) -> list[Any]:
        found = []
        for prompt, given in zip(prompts, continuations, strict=True):
            text, thing = "".join(map(chr, prompt)), "".join(map(chr, given))
            self.posed.append(text)
            [bits] = [THINGS[name] for name in NAMES if name.startswith(thing)]
            fits = all((bits[q] == "1") == (a == "yes") for q, a in answered(text))
            found.append((log(0.25 if fits else 1e-12), *(0.0,) * (len(given) - 1)))
        return found


def played(surveys: bool, seeds: Sequence[int] = (3,)) -> tuple[list[Trajectory], Guesser]:
    engine = Guesser()
    with Environments(GAME, KWARGS) as envs:
        return rollout(envs, seeds, Player(engine, surveys=surveys)), engine


def test_beliefs_are_those_of_what_fits_and_the_episode_is_as_without() -> None:
    [guesser, keeper], engine = played(True)
    plain, _ = played(False)
    assert [replace(item, surveys=()) for item in (guesser, keeper)] == plain
    assert not keeper.surveys, "it knows the thing"
    assert [posed.spoken for posed in guesser.surveys] == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    said = ["", *["player_0", "player_1"] * 4]
    assert [posed.speaker for posed in guesser.surveys] == said
    assert [posed.turns for posed in guesser.surveys] == [0, 1, 1, 2, 2, 3, 3, 4, 4]
    left = NAMES
    for number, posed in enumerate(guesser.surveys):
        if number and number % 2 == 0:
            question = number // 2 - 1
            yes = keeper.turns[question].action.endswith("yes</answer>")
            left = [name for name in left if (THINGS[name][question] == "1") == yes]
        assert posed.belief == pytest.approx([(n in left) / len(left) for n in NAMES], abs=1e-9)
        assert posed.right == posed.belief[posed.answer] > 0
    assert 1 <= len(left) < len(NAMES)
    assert all(text.endswith("salmon.\n<answer>") for text in engine.posed)
    assert {len(ids) for ids in guesser.surveys[0].options} == {2}, "salmon or ship"
    assert "It is." not in "".join(engine.posed), "reasoning of the keeper"


class Claims:
    """An engine with scripted replies and the scores of a model."""

    def __init__(self, model: Any, tokenizer: Any, context_length: int) -> None:
        self.scorer = TransformersGenerator(model, tokenizer, context_length=context_length)
        self.tokenizer, self.context_length, self.weight_version = tokenizer, context_length, 0

    def generate(self, prompts: Sequence[Any], sampling: Sampling) -> list[Completion]:
        texts = ["<answer>claim 5</answer>", "<answer>my hand is rock</answer>"]
        ends = [self.tokenizer.decode(list(prompt)[-250:]) for prompt in prompts]
        replies = [texts["my hand is" in end[end.rfind("Reply") :]] for end in ends]
        ids = [tuple(self.tokenizer(reply)["input_ids"]) for reply in replies]
        return [
            Completion(reply, own, (-1.0,) * len(own), "stop")
            for reply, own in zip(replies, ids, strict=True)
        ]

    def score(self, prompts: Sequence[Any], continuations: Sequence[Any]) -> Any:
        return self.scorer.score(prompts, continuations)

    def update_weights(self, weights: Any, version: int) -> None: ...


@pytest.mark.parametrize(
    ("context", "length", "rounds"), [("stop", 8000, 1), ("truncate", 1200, 2)]
)
def test_a_belief_is_the_models_and_its_row_is_read_again(
    generator: Any, context: str, length: int, rounds: int
) -> None:
    """Against sums of single log-probabilities over the ids of the recorded row."""
    torch = pytest.importorskip("torch")
    engine = Claims(generator.model, generator.tokenizer, length)
    player = Player(engine, Sampling(8), context=CONTEXTS.make(context), surveys=True)
    with Environments("zerogym/trust_and_split-v0", {"rounds": rounds}) as envs:
        surveys = [(item, one) for item in rollout(envs, [1], player) for one in item.surveys]
    assert max(posed.turns for _, posed in surveys) == 2 * rounds
    assert any(posed.fresh for _, posed in surveys) == (context == "truncate")
    for item, posed in surveys[:3] + surveys[-3:]:
        sums = []
        for number in range(3):
            row = survey_row(item, replace(posed, answer=number))
            logits = generator.model(torch.tensor([row.ids])).logits[0].detach().double()
            scores = logits.log_softmax(-1)[:-1].gather(1, torch.tensor(row.ids)[1:, None])[:, 0]
            sums.append(float((scores * torch.tensor(row.mask[1:])).sum()))
        weights = np.exp(np.array(sums) - max(sums))
        assert posed.belief == pytest.approx((weights / weights.sum()).tolist(), abs=1e-5)
        assert max(posed.belief) - min(posed.belief) > 1e-3


def test_a_question_that_does_not_fit_is_not_posed() -> None:
    engine = Guesser()
    engine.context_length = 1100
    with Environments(GAME, KWARGS) as envs:
        [guesser, _] = rollout(envs, [3], Player(engine, surveys=True))
    assert 0 < len(guesser.surveys) < 9 and all(len(t) <= 1100 for t in engine.posed)


def test_an_engine_without_scores_is_refused() -> None:
    with Environments(GAME, KWARGS) as envs, pytest.raises(ValueError, match="Scripted does not"):
        rollout(envs, [3], Player(Scripted(Guesser().said), surveys=True))


def test_a_run_of_tasks_without_seats_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from zerogym.agents.llm.training.grpo import train

    config = GRPOConfig(env="zerogym/Syllogism-v0", auxiliary="listening", out=str(tmp_path))
    with pytest.raises(ValueError, match="surveys of beliefs are for games of all seats"):
        train(config)


# --- the speaking reward


def rolled(part: Speaking, groups: list[list[Trajectory]]) -> list[list[Trajectory]]:
    """The groups that a part makes of those of one request."""
    prompt = Prompt(TaskSpec(GAME), 0)
    step = Step(1, 2, 1, lambda count: [prompt] * count, np.random.default_rng(0), {})
    rolling = part(step)
    next(rolling)
    with pytest.raises(StopIteration) as end:
        rolling.send([groups])
    found: list[list[Trajectory]] = end.value.value
    return found


@pytest.mark.claim("speaking", says="Rewards of messages add up to last less first belief.")
def test_rewards_of_messages_add_up_to_last_less_first_belief() -> None:
    with Environments(GAME, KWARGS) as envs:
        groups = rollout_groups(envs, [3, 4], 2, Player(Guesser(), surveys=True))
    found = rolled(Speaking(weight=0.5), groups)
    assert rolled(Speaking(weight=0.0), groups) == groups
    for seat in (0, 1, 2, 3):
        for before, after in zip(groups[seat], found[seat], strict=True):
            added = [b.reward - a.reward for a, b in zip(before.turns, after.turns, strict=True)]
            assert after.reward - before.reward == pytest.approx(sum(added), abs=1e-12)
            if seat % 2:
                first, *_, last = groups[seat - 1][before.episode % 2].surveys
                assert sum(added) == pytest.approx(0.5 * (last.right - first.right), abs=1e-12)
                assert max(added) > 0.01, "true answers raise the belief"
            else:
                assert max(map(abs, added)) < 1e-9, "a question says nothing"


def posed(right: float, speaker: str = "", spoken: int = 0, sign: int = 1) -> PosedSurvey:
    return PosedSurvey(0, (1,), ((2,), (3,)), 1, (1 - right, right), False, speaker, spoken, sign)


def test_gains_by_hand() -> None:
    """Two listeners and two discussions; the impostor's message has the sign of its interest."""
    turns = (Turn("", "", (1,), (2,), (-1.0,)),) * 2
    one = Trajectory(GAME, 0, 7, turns, surveys=(
        posed(0.25), posed(0.75, "player_1", 1), posed(0.5, "player_2", 0, -1), posed(0.1),
        posed(0.3, "player_1", 2),
    ))  # fmt: skip
    two = replace(one, seat="player_1", surveys=(posed(0.5), posed(0.375, "player_1", 1)))
    assert speaking_gains([one, two]) == pytest.approx({
        (7, "player_1", 1): 0.5 - 0.125, (7, "player_2", 0): 0.25, (7, "player_1", 2): 0.2,
    })  # fmt: skip
    chains = [[0.25, 0.75, 0.5], [0.1, 0.3], [0.5, 0.375]]
    unsigned = [replace(p, sign=1) for p in one.surveys]
    gains = speaking_gains([replace(one, surveys=tuple(unsigned)), two])
    assert sum(gains.values()) == pytest.approx(sum(c[-1] - c[0] for c in chains))
    assert all(len(list(pairwise(chain))) for chain in chains)


def test_discussions_begin_where_the_first_survey_is_posed() -> None:
    """The moves before are the scripted players', in all contexts, and not trained on."""
    task = TaskSpec("zerogym/social_deduction-v0", {"rooms": 2, "tasks": 2, "rounds": 4})
    part = Discussions()
    draws = [part(Draw(3, np.random.default_rng(5), task)) for _ in range(2)]
    assert draws[0] == draws[1] and len({prompt.seed for prompt in draws[0]}) == 3
    with Environments(task.env, task.kwargs) as envs:
        player = Player(Scorer("<answer>say nothing</answer>"), surveys=True)
        planned = [PlannedEpisode(n, p, n, (n,)) for n, p in enumerate(draws[0])]
        episodes = play_planned(envs, planned, player, False, False)
    for number, prompt in enumerate(draws[0]):
        own = [item for item in episodes if item.episode == number]
        turns = [turn for item in own for turn in item.turns[: item.shared]]
        assert sorted(turn.action for turn in turns) == sorted(prompt.trace)
        assert "<answer>report</answer>" in prompt.trace
        crew = [item for item in own if item.surveys]
        assert len(crew) >= 2 and all(item.role != "impostor" for item in crew)
        for item in crew:
            first, second = item.surveys[:2]
            assert first.turns == item.shared and first.speaker == "" and second.speaker
            assert first.belief == (0.25,) * 4 and first.answer not in (int(item.seat[-1]),)
    plain = Discussions()(Draw(2, np.random.default_rng(0), TaskSpec("zerogym/kuhn_poker-v0")))
    assert [prompt.trace for prompt in plain] == [(), ()]


class Scorer(Scripted):
    """An engine with one reply to everything that believes in all options alike."""

    def __init__(self, reply: str) -> None:
        super().__init__(lambda prompt: reply)

    def score(self, prompts: Sequence[Any], continuations: Sequence[Any]) -> list[Any]:
        return [(-1.0,) for _ in prompts]
