"""Generation by vLLM servers whose weights follow the training.

Each server hosts the model that is trained. Before a rollout the weights are written to a folder
that the servers can read too (the same machine, or a shared disk), and each loads them in place,
by vLLM's interface for developers; start a server of our model with

    VLLM_SERVER_DEV_MODE=1 vllm serve DIRECTORY --served-model-name NAME --dtype float32

and keep it where nobody else can reach it: that interface controls the server.

Left out: transfer of weights from GPU to GPU (NCCL), which vLLM has too; servers that start anew
while a run goes on have the weights of their start until the next step.
"""

from collections.abc import Callable, Mapping, Sequence
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
    """A server whose weights can be exchanged; arguments and errors as in `TokenServer`."""

    def __init__(self, server: Server, tokenizer: Any) -> None:
        super().__init__(server, tokenizer)
        self._control = HTTPClient(replace(server, address=server.address.removesuffix("/v1")))

    def load(self, folder: Path) -> None:
        """Load the weights in a folder.

        Raises:
            ServerDown: If the server does not answer, or fails to load them.
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
    """An engine of several servers; attributes as in `Generator`.

    Rows have seeds of their own and are assigned in turn, so that the number of servers changes
    nothing, up to rounding.

    Args:
        names: Names of the servers, as `read_server` takes them.
        tokenizer: The tokenizer of the model that is trained.
        folder: The folder for the weights that the servers load.

    Raises:
        ModelNotFound, UnknownName, ValueError: As `read_server`.
        ServerDown, EngineFailed: If a server does not answer.
        MissingExtra: If no HTTP client is installed.
    """

    def __init__(self, names: Sequence[str], tokenizer: Any, folder: Path) -> None:
        self._servers = [FollowingServer(read_server(name), tokenizer) for name in names]
        self._folder, self.tokenizer = folder, tokenizer
        self.context_length = min(server.context_length for server in self._servers)
        self.weight_version = -1  # the servers' own weights are not the run's

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """Return one completion for each prompt; errors as of `TokenServer.generate`."""
        seeds = row_seeds(len(prompts), sampling)
        count = len(self._servers)

        def generate(number: int, server: FollowingServer) -> list[Completion]:
            own = replace(sampling, seeds=tuple(seeds[number::count]))
            return server.generate(prompts[number::count], own)

        completions = [Completion("", (), (), "context")] * len(prompts)
        for number, found in enumerate(self._all(generate)):
            completions[number::count] = found
        return completions

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Send the weights of a module or of its state dict to all servers.

        Raises:
            ServerDown, EngineFailed: If a server does not load them.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        fresh = self._folder / f"{WEIGHTS}.part"
        # By all names, also those that share their numbers with others: vLLM's CPU build keeps a
        # packed copy of the output layer, which it makes anew only if that layer is named.
        named = detached_weights(weights)
        save_file({name: value.cpu().clone().contiguous() for name, value in named}, fresh)
        fresh.replace(self._folder / WEIGHTS)
        self._all(lambda number, server: server.load(self._folder))
        self.weight_version = version

    def _all(self, task: Callable[[int, FollowingServer], Any]) -> list[Any]:
        """Return the results of a task of number and server, run for all servers at once."""
        with ThreadPoolExecutor(len(self._servers)) as pool:
            return list(pool.map(task, range(len(self._servers)), self._servers))
