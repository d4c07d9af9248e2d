"""The sandbox of these tests; files with limits or a level of their own replace it."""

import pytest

from zerogym.envs.tools.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return Sandbox()
