"""Generation by vLLM servers that follow the training: ids in, ids and log-probabilities out.

Each server hosts the model that is trained. Before a rollout the weights are written to a folder
that the servers can read too (the same machine, or a shared disk), and each loads them in place.
That takes vLLM's own interface for developers; start a server of our model with

    VLLM_SERVER_DEV_MODE=1 vllm serve DIRECTORY --served-model-name NAME --dtype float32

and keep it where nobody else can reach it: who can speak to that interface controls the server.

Left out: transfer of weights from GPU to GPU (NCCL), which vLLM has too; servers that start anew
while a run goes on have the weights of their start until the next step.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from zerogym.agents.llm.generation.http_backend import TokenServer
from zerogym.agents.llm.generation.http_client import HTTPClient, RequestRefused
from zerogym.agents.llm.generation.protocol import Completion, Sampling, row_seeds
from zerogym.agents.llm.models.endpoints import Server, read_server
from zerogym.agents.llm.models.lora import detached_weights
from zerogym.errors import EngineFailed

WEIGHTS = "model.safetensors"


class FollowingServer(TokenServer):
    """A server whose weights can be exchanged.

    Args:
        server: Which, and how.
        tokenizer: Of the model.

    Raises:
        ServerDown, EngineFailed: If the server does not say how long its context is.
    """

    def __init__(self, server: Server, tokenizer: Any) -> None:
        super().__init__(server, tokenizer)
        self._control = HTTPClient(replace(server, address=server.address.removesuffix("/v1")))

    def load(self, folder: Path) -> None:
        """Take over the weights in a folder.

        Raises:
            ServerDown: If it does not answer, or fails to load them.
            EngineFailed: If it has no such interface, or is still busy with replies.
        """
        order = {"method": "reload_weights", "kwargs": {"weights_path": str(folder.resolve())}}
        self._order("collective_rpc", order)
        done = self._order("reset_prefix_cache", {})  # keys and values of the weights before
        if not isinstance(done, dict) or done.get("success") is not True:
            raise EngineFailed(f"{self.server.address} keeps what it computed with older weights")

    def _order(self, path: str, body: dict[str, Any]) -> Any:
        (answer,) = self._control.post(path, [body], 0)
        if isinstance(answer, RequestRefused):
            raise EngineFailed(
                f"{self.server.address} cannot take over weights ({answer}): start vLLM with "
                "VLLM_SERVER_DEV_MODE=1"
            )
        return answer


class ServedGenerator:
    """The engine on servers; attributes as in `Generator`.

    Rows have seeds of their own and are dealt out in turn, so that how many servers there are
    changes nothing, up to rounding.

    Args:
        names: Of the servers, as `read_server` takes them.
        tokenizer: Of the model that is trained.
        folder: Where weights are left for them.

    Raises:
        ModelNotFound, UnknownName, ValueError: As `read_server`.
        ServerDown, EngineFailed: If a server does not answer.
        MissingExtra: If no HTTP client is installed.
    """

    def __init__(self, names: Sequence[str], tokenizer: Any, folder: Path) -> None:
        self._servers = [FollowingServer(read_server(name), tokenizer) for name in names]
        self._folder, self.tokenizer = folder, tokenizer
        self.context_length = min(server.context_length for server in self._servers)
        self.weight_version = -1  # whatever they have, it is not the run's

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """One completion for each prompt.

        Raises:
            ServerDown: If a server does not reply.
            EngineFailed: If one refuses, or its replies cannot be used.
            ValueError: If a prompt has no token, or there is not one of `sampling.seeds` for each.
        """
        seeds = row_seeds(len(prompts), sampling)
        shares = [range(first, len(prompts), len(self._servers)) for first in self._numbers]

        def ask(number: int) -> list[Completion]:
            rows = shares[number]
            own = replace(sampling, seeds=tuple(seeds[row] for row in rows))
            return self._servers[number].generate([prompts[row] for row in rows], own)

        completions = [Completion("", (), (), "context")] * len(prompts)
        for rows, found in zip(shares, self._all(ask), strict=True):
            for row, completion in zip(rows, found, strict=True):
                completions[row] = completion
        return completions

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Hand the weights of a module or of its state dict to all servers.

        Raises:
            ServerDown, EngineFailed: If a server does not take them.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        fresh = self._folder / f"{WEIGHTS}.part"
        save_file(_written(weights), fresh)
        fresh.replace(self._folder / WEIGHTS)
        self._all(lambda number: self._servers[number].load(self._folder))
        self.weight_version = version

    @property
    def _numbers(self) -> range:
        return range(len(self._servers))

    def _all(self, task: Any) -> list[Any]:
        """What a task returns for the number of each server, all at once."""
        with ThreadPoolExecutor(len(self._servers)) as pool:
            return list(pool.map(task, self._numbers))


def _written(weights: Any | Mapping[str, Any]) -> dict[str, Any]:
    """Weights by all their names, as a file has them.

    Also those that share their numbers with others: vLLM's CPU build keeps a packed copy of the
    output layer, which it makes anew only if that layer is named.
    """
    return {name: value.cpu().clone().contiguous() for name, value in detached_weights(weights)}
