"""Agents by name for the verbs of the CLI."""

from pathlib import Path
from typing import Any

from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.core import Policy
from zerogym.agents.llm.models.endpoints import is_server
from zerogym.cli.names import import_opponents
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


def opponent_argument(name: str) -> str:
    """The `opponent` argument of a game; `tiny` and a model directory get the prefix `llm:`."""
    if is_model(name):
        return f"llm:{name}"
    return "+".join(f"llm:{part}" if part in MODELS else part for part in name.split("+"))


def is_model(name: str) -> bool:
    """Return True if a name is a language model; a prefix (`past:FOLDER`) names another kind."""
    if name in MODELS or is_server(name):
        return True
    return ":" not in name and ("/" in name or Path(name).is_dir())


def entrant(game: Any, name: str, seed: int) -> Any:
    """A player of a game in the league: a language model, or one with a name."""
    from zerogym.benchmarks.league.players import language_model, named

    model = name.removeprefix("llm:")
    if not is_model(model):
        import_opponents(name)
    return language_model(model) if is_model(model) else named(game, [name], seed)[0]


def language_model(name: str, seed: int) -> Policy:
    """A language model as a policy."""
    from zerogym.agents.llm.generation.engines import load_generator
    from zerogym.agents.llm.generation.protocol import Sampling
    from zerogym.agents.llm.policy import LLMPolicy

    return LLMPolicy(
        load_generator(name), Sampling(max_new_tokens=96, stop=("</answer>",), seed=seed)
    )
