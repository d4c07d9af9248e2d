"""The U-map and its matchers, for tests of sentences as tasks."""

from typing import Any

import pytest

from helpers.zero_shot.u_map import in_captions, in_pictures, make_u_map
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher
from zerogym.agents.zero_shot.prompts.matchers import ImageMatcher


@pytest.fixture(scope="session")
def world() -> Any:
    return make_u_map()


@pytest.fixture(scope="session")
def captions(world: Any) -> CaptionMatcher:
    return in_captions(world)


@pytest.fixture(scope="session")
def pictures(world: Any) -> ImageMatcher:
    return in_pictures(world)
