"""Agents by name for the verbs of the CLI."""

from pathlib import Path
from typing import Any

from zerogym.agents.baselines.bounds import OraclePolicy, RandomPolicy
from zerogym.agents.core import Policy
from zerogym.errors import UnknownName

BOUNDS = ("random", "oracle")
MODELS = ("tiny", "smollm2")


def make_player(name: str, env: Any, seed: int) -> Policy:
    """An agent bound to one environment.

    Raises:
        UnknownName: If it is neither a known agent nor a model directory or hub id.
    """
    if name == "random":
        return RandomPolicy([env], seed)
    if name == "oracle":
        return OraclePolicy([env])
    if not is_model(name):
        raise UnknownName("agent", name, [*BOUNDS, *MODELS])
    return language_model(name, seed)


def opponent_argument(name: str) -> Any:
    """What a game takes as `opponent`: a name it knows, or a language model as a policy."""
    if name.startswith("past:"):  # a folder, but of strategies
        return name
    return language_model(name, 0) if is_model(name) else name


def is_model(name: str) -> bool:
    """Whether a name means a language model."""
    return name in MODELS or "/" in name or Path(name).is_dir()


def language_model(name: str, seed: int) -> Policy:
    """A language model as a policy."""
    from zerogym.agents.llm.generation import Sampling
    from zerogym.agents.llm.models import load_generator
    from zerogym.agents.llm.policy import LLMPolicy

    return LLMPolicy(
        load_generator(name), Sampling(max_new_tokens=96, stop=("</answer>",), seed=seed)
    )
