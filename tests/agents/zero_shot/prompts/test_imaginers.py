"""Imaginers: language models that err, and drawings."""

import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.llm.replies import Replies
from helpers.zero_shot.u_map import make_u_map, places_of
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher
from zerogym.agents.zero_shot.prompts.imagination import MAX_FRAMES, NoImagination, project
from zerogym.agents.zero_shot.prompts.imaginers import (
    LanguageModelImaginer,
    PathSketchImaginer,
    Style,
)


def test_a_language_model_tells_a_story(captions: CaptionMatcher) -> None:
    replies = Replies(
        "Down there?\n<frames>a</frames> no\n<frames>\n row 7, column 8\n\nrow 6\n</frames>"
    )
    storyteller = LanguageModelImaginer(replies, captions.captions, frames=2, check=captions.match)
    frames = storyteller("Hide in the last corner!")
    assert frames == ["row 7, column 8", "row 6"]
    np.testing.assert_array_equal(places_of(make_u_map(), project(frames, captions))[0], (7, 8))
    for known in ("Hide in the last corner!", "Describe 2 moments", captions.captions[0]):
        assert known in replies.requests[0]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("row 7", "there is nothing between"),
        ("<frames>\n \n</frames>", "there are no lines"),
        ("<frames>\nnirvana\n</frames>", "no word of 'nirvana'"),
        (f"<frames>\n{'row 7' + chr(10)}{('a' + chr(10)) * MAX_FRAMES}</frames>", "too many"),
    ],
)
def test_a_fault_is_sent_back_and_can_be_repaired(
    captions: CaptionMatcher, reply: str, fault: str
) -> None:
    replies = Replies(reply, "<frames>row 1</frames>")
    storyteller = LanguageModelImaginer(replies, captions.captions, check=captions.match)
    assert storyteller("Up!") == ["row 1"]
    assert fault in replies.requests[1]
    assert len(replies.requests[1]) < 10_000
    replies = Replies(reply, reply)
    with pytest.raises(NoImagination, match="in 2 replies"):
        LanguageModelImaginer(replies, captions.captions, tries=2, check=captions.match)("Up!")


def test_a_style_needs_pixels() -> None:
    for wrong in ({"pixels": 0}, {"lines": 0}):
        with pytest.raises(ValueError, match="a style needs"):
            Style(**wrong)


def test_the_same_drawing_every_time() -> None:
    sketches = PathSketchImaginer(lambda sentence: [[0.2, 0.3], [0.4, 0.5]], seed=7)
    for first, second in zip(sketches("a"), sketches("a"), strict=True):
        np.testing.assert_array_equal(first, second)
