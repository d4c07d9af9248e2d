"""Engines by the names of their models."""

import os
from typing import TYPE_CHECKING

from zerogym.agents.llm.generation.protocol import BackendName, Generator
from zerogym.agents.llm.models.directories import model_directory
from zerogym.agents.llm.models.endpoints import is_server
from zerogym.agents.llm.models.loading import load_model

if TYPE_CHECKING:
    import torch


def load_generator(
    name: str | os.PathLike[str],
    device: str = "auto",
    dtype: "str | torch.dtype" = "auto",
    backend: "BackendName" = "transformers",
) -> "Generator":
    """Load a model and return its engine; arguments and errors as of `load_model`.

    The address of a server (`http://localhost:8000/v1#MODEL`) is a name, too. `backend="vllm"`
    chooses the device by itself.
    """
    if is_server(name):
        from zerogym.agents.llm.generation.http_backend import connect

        return connect(str(name))
    if backend == "vllm":
        from zerogym.agents.llm.generation.vllm_backend import VLLMGenerator

        return VLLMGenerator(model_directory(name), str(dtype).removeprefix("torch."))
    model, tokenizer = load_model(name, device, dtype)
    from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator

    return TransformersGenerator(model, tokenizer)
