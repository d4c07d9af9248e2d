"""Surveys in a rollout: what the players of a game of talk believe after each message.

After a step the question of the game is posed to each seat that has one, behind what the seat
observes then, and the engine scores the possible answers. Conversations, environments and the
random numbers of replies stay as they were: an episode is the same with surveys and without.

"Training Language Models for Social Deduction with Multi-Agent Reinforcement Learning" (2025,
arXiv 2502.06060) poses them. Answers that are written and read are left out; an engine must score.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zerogym.agents.llm.generation.protocol import Scorer
from zerogym.agents.llm.rollout.chat_template import encode_plain
from zerogym.agents.posed_survey import Ids, PosedSurvey
from zerogym.envs.games.talk.core.surveys import Survey

if TYPE_CHECKING:
    from zerogym.agents.llm.rollout.episode import Episode, PlayerSlot, Seat

Posed = tuple["Seat", PosedSurvey]


def pose_surveys(episodes: Sequence["Episode"]) -> None:
    """Pose the surveys that follow the last step of episodes; an engine is called once."""
    posed: dict[int, list[Posed]] = {}  # by player
    slots: dict[int, PlayerSlot] = {}
    for episode in episodes:
        if not episode.unsurveyed:
            continue
        episode.unsurveyed = False
        for name, seat in episode.seats.items():
            if seat.slot.player.surveys and (found := episode.env.survey(name)):
                slots[id(seat.slot)] = seat.slot
                if (one := _question(episode, seat, *found)) is not None:
                    posed.setdefault(id(seat.slot), []).append((seat, one))
    for key, own in posed.items():
        beliefs = _beliefs(slots[key], own)
        for (seat, one), belief in zip(own, beliefs, strict=True):
            seat.surveys.append(PosedSurvey(**(vars(one) | {"belief": belief})))


def _question(
    episode: "Episode", seat: "Seat", survey: Survey, observation: str
) -> PosedSurvey | None:
    """Return a survey without its belief; None if it does not fit into the context."""
    room, before = seat.slot.room, seat.surveyed_after
    text = f"{observation}\n{survey.choice}"
    talk = seat.slot.player.context.observe(seat.replied, text, room)
    start, options = _options(survey, room.tokenizer)
    context, known = (*talk.ids, *start), len(seat.ids)
    if talk.news is not None or len(context) + max(map(len, options)) > room.limit:
        return None
    seat.surveyed_after = episode.steps
    grown = list(context[:known]) == seat.ids
    speaker, sign, spoken = "", 1, 0
    if episode.speaker is not None and before == episode.steps - 1:
        speaker = episode.speaker
        sign = -1 if list(episode.seats).index(speaker) in survey.against else 1
        spoken = len(episode.seats[speaker].turns) - 1
    return PosedSurvey(
        turns=len(seat.turns), prompt_ids=context[known:] if grown else context, options=options,
        answer=survey.answer, belief=(), fresh=not grown, speaker=speaker, spoken=spoken, sign=sign,
    )  # fmt: skip


def _options(survey: Survey, tokenizer: object) -> tuple[Ids, tuple[Ids, ...]]:
    """Return the ids of the beginning of an answer that all share, and those that tell it apart.

    So most often an answer is one token: the next one, as in the paper.
    """
    words = [option.split(" ") for option in survey.options]
    shared = 0
    while len({tuple(own[: shared + 1]) for own in words}) == 1 and shared < len(words[0]):
        shared += 1
    begin = " ".join(words[0][:shared])
    ends = [f"{option[len(begin) :]}</answer>" for option in survey.options]
    start = tuple(encode_plain(tokenizer, f"<answer>{begin}"))
    options = [tuple(encode_plain(tokenizer, end)) for end in ends]
    length = 1
    while len({ids[:length] for ids in options}) < len(options):
        length += 1
    return start, tuple(ids[:length] for ids in options)


def _beliefs(slot: "PlayerSlot", posed: Sequence[Posed]) -> list[tuple[float, ...]]:
    """Return the probability of each option of each survey, by one call of the engine."""
    engine = slot.player.generator
    if not isinstance(engine, Scorer):
        raise ValueError(f"surveys need an engine that scores; {type(engine).__name__} does not")
    prompts: list[list[int]] = []
    options: list[Ids] = []
    for seat, one in posed:
        context = [*(() if one.fresh else seat.ids), *one.prompt_ids]
        prompts += [context] * len(one.options)
        options += one.options
    scores = iter(sum(own) for own in engine.score(prompts, options))
    return [normalised([next(scores) for _ in one.options]) for _, one in posed]


def normalised(scores: Sequence[float]) -> tuple[float, ...]:
    """Return probabilities that are proportional to the exponentials of scores, summing to 1."""
    highest = max(scores)
    weights = [math.exp(score - highest) for score in scores]
    return tuple(weight / sum(weights) for weight in weights)
