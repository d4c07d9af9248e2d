"""A language model as an opponent in a game, by name: `opponent="llm:tiny"`.

`llm:MODEL` takes the names of `load_generator`, a server included, and the folders of our trainers:
a run, or one of its checkpoints, which then plays with the chat, the stop texts and the length of
replies that it was trained with; of a run with an adapter for each seat, RUN/model/player_1, say.
Replies are sampled from the environment's generator, so an episode follows from its seed. A model
is loaded once a process, when it has to reply for the first time.

Left out: replies to several environments at once, settings in the name (make a `LanguageModel`),
and the same episodes on another device or build of torch, where rounding may change a token.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.models.directories import ADAPTER, model_directory
from zerogym.agents.llm.models.endpoints import is_server, read_server
from zerogym.agents.llm.models.loading import require_llm
from zerogym.agents.llm.policy import LLMPolicy
from zerogym.agents.llm.rollout.chat_template import ChatKind
from zerogym.agents.llm.rollout.conversation import Conversation
from zerogym.envs.games.core.game import Game
from zerogym.errors import UnknownName

REPLY = Sampling(max_new_tokens=48, stop=("</answer>",))
MODELS_HELD = 8  # in memory; the least recently used one is dropped
_IMPORTED_IN = os.getpid()


@dataclass(frozen=True)
class LanguageModel:
    """A text player (`envs/games/core/players.py`); its state is the conversation of its seat.

    Attributes:
        directory: The model, in Hugging Face format, or the address of one (`models/endpoints.py`).
        sampling: How replies are sampled; the seed of each comes from the environment.
        chat: As in `LLMPolicy`.
        system: As in `LLMPolicy`.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
        >>> env = KuhnPokerEnv(opponent=llm_opponent(KuhnPoker(), "tiny"), seat=1)
        >>> env.reset(seed=0)[0] == env.reset(seed=0)[0]
        True
    """

    directory: Path | str
    sampling: Sampling = REPLY
    chat: ChatKind = "auto"
    system: str | None = None
    _written: int = field(init=False, repr=False)  # so that a model trained anew is loaded anew

    def __post_init__(self) -> None:
        weights = [] if is_server(self.directory) else Path(self.directory).glob("*.safetensors")
        written = max((file.stat().st_mtime_ns for file in weights), default=0)
        object.__setattr__(self, "_written", written)

    def reply(
        self, message: str, memory: Conversation | None, rng: np.random.Generator
    ) -> tuple[str, Conversation]:
        """Return a reply, and the conversation up to it."""
        if not is_server(self.directory):
            _leave_threads_of_parent()
        policy = self.policy(int(rng.integers(2**63)))
        replies, conversations = policy.predict([message], None if memory is None else [memory])
        return replies[0], conversations[0]

    def policy(self, seed: int) -> LLMPolicy:
        """Return the same as a policy, whose replies follow from a seed of its own."""
        generator = _load(self.directory, self._written)
        return LLMPolicy(generator, replace(self.sampling, seed=seed), self.chat, self.system)


def llm_opponent(game: Game[Any], name: str) -> LanguageModel:
    """Return the opponent `llm:NAME` of any game, as the entry point `llm`; errors as below."""
    return find_language_model(name)


def find_language_model(name: str) -> LanguageModel:
    """Return a language model by name of `load_generator`, or by folder of a run or checkpoint.

    Raises:
        UnknownName: If there is no name, or no such setting of a server.
        ModelNotFound: If there is no such model.
        MissingExtra: If torch or transformers is not installed.
    """
    if not name:
        raise UnknownName("language model", name, ["llm:tiny", "llm:smollm2", "llm:FOLDER"])
    if is_server(name):
        read_server(name)  # its errors are raised now, and not in the first game
        return LanguageModel(name)
    require_llm(f"the opponent {f'llm:{name}'!r}")
    run = Path(name).expanduser()
    directory = model_directory(run / "model" if (run / "model").is_dir() else name)
    trained = _settings_of_training(directory)
    if not trained:
        return LanguageModel(directory)
    sampling = Sampling(
        trained["max_new_tokens"], trained["temperature"], stop=tuple(trained["stop"])
    )
    return LanguageModel(directory, sampling, trained["chat"], trained["system"])


def _leave_threads_of_parent() -> None:
    """Use one thread in a forked process: torch would wait for ever for its parent's."""
    if os.getpid() != _IMPORTED_IN:
        require_llm("a language model").set_num_threads(1)


@lru_cache(maxsize=MODELS_HELD)
def _load(directory: Path | str, written: int) -> Generator:
    return load_generator(directory)


def _settings_of_training(directory: Path) -> Mapping[str, Any]:
    """Return the settings of the GRPO run of a `model` folder, or of a seat's in it; else none."""
    of_seat = directory.parent.name == "model" and (directory / ADAPTER).is_file()
    beside = directory.parent.parent if of_seat else directory.parent
    records = [*sorted(beside.glob("checkpoint-*/run.json")), beside / "run.json"]
    for record in reversed(records):
        try:
            config: Mapping[str, Any] = json.loads(record.read_text("utf-8"))["config"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(config, dict) and config.keys() >= {"max_new_tokens", "chat", "system"}:
            return config
    return {}
