"""The replies of a model, and the engine that samples them."""

from dataclasses import dataclass
from typing import get_args

from zerogym.agents.compiling import COMPILERS
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.generation.protocol import BackendName
from zerogym.agents.llm.models.endpoints import read_server
from zerogym.agents.settings import Group, check_above, check_at_least
from zerogym.errors import UnknownName


@describe_fields
@dataclass(frozen=True)
class GenerationSettings(Group):
    """The sampling of replies in training, and the engine that does it."""

    max_new_tokens: int = 64  # tokens of one reply
    temperature: float = 1.0  # of training rollouts, > 0
    stop: tuple[str, ...] = ()  # texts that end a reply
    backend: BackendName = "transformers"  # the engine of replies; vllm is faster on a GPU
    servers: tuple[str, ...] = ()  # of vLLM, the engine instead: http://HOST:PORT/v1#MODEL
    engine_memory: float = 0.3  # of vllm: its share of the GPU's memory, in (0, 1]
    compile: str = "none"  # decoding by torch.compile: inductor, or aot_eager, which tests it
    cuda_graph: bool = False  # capture each decode step once and replay it; cuda

    def _check(self) -> None:
        """Refuse numbers out of range, unknown engines, and what servers cannot follow."""
        check_at_least(self, max_new_tokens=1)
        check_above(self, temperature=0)
        if self.backend not in get_args(BackendName):
            raise UnknownName("backend", self.backend, list(get_args(BackendName)))
        if self.compile not in COMPILERS:
            raise UnknownName("compile", self.compile, list(COMPILERS))
        if not 0 < self.engine_memory <= 1:
            raise ValueError(f"engine_memory must be in (0, 1], got {self.engine_memory!r}")
        for name in self.servers:
            read_server(name)
        if self.servers and self.backend != "transformers":
            raise ValueError(f"servers generate: backend={self.backend!r} would, too")
        if self.servers and self.temperature != 1:
            raise ValueError(
                "servers return log-probabilities at temperature 1, at which the replies must be "
                f"sampled for training; got temperature={self.temperature!r}"
            )
