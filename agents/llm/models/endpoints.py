"""Language models that a server hosts, by name: `http://localhost:8000/v1#MODEL`.

The address is that of an OpenAI-compatible interface (vLLM, SGLang, llama.cpp, Ollama, and the
hosts of closed models), the part after `#` what the server calls the model. Settings follow a `?`:
`https://api.example.com/v1#large?requests_per_minute=60&key_from=EXAMPLE_KEY`.

A key never stands in a name, because names are written into results: it is read from an
environment variable when a request is made. Names that come from a file end in `key_from=`, which
names no variable (`envs/recorded.py`): no file decides which secret goes to which host. Left out:
addresses with a query of their own.
"""

import os
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from zerogym.errors import EngineFailed, ModelNotFound, UnknownName


@dataclass(frozen=True)
class Server:
    """One model of one server, with the settings of requests.

    Raises:
        ValueError: If a number is out of its range.
        ModelNotFound: If the address is none, or holds a password.
    """

    address: str  # of the interface: http://HOST:PORT/v1
    model: str  # its name on the server
    tokenizer: str = ""  # model or directory: ids are sent and returned (vLLM); empty: messages
    key_from: str = "ZEROGYM_API_KEY"  # environment variable with the key; none is sent if empty
    concurrent: int = 16  # most requests of one call under way at once
    requests_per_minute: float = 0.0  # evenly spaced; 0: no limit
    timeout: float = 120.0  # seconds for one request, until its reply is complete
    retries: int = 6  # after the first attempt
    backoff: float = 1.0  # seconds before the first retry, twice as many before each next one
    context_length: int = 0  # with `tokenizer`: of prompt and reply; 0: as the server reports
    limit_name: str = "max_tokens"  # newer models of OpenAI: max_completion_tokens
    omit: str = ""  # settings of sampling that the server refuses: `temperature,seed`
    prompt_price: float = 0.0  # of a million tokens that it reads
    reply_price: float = 0.0  # of a million tokens that it writes

    def __post_init__(self) -> None:
        _check_address(self.address)
        if not self.model:
            raise ModelNotFound(f"{self.address}: name a model, as in {self.address}#MODEL")
        if self.concurrent < 1:
            raise ValueError(f"concurrent must be at least 1, got {self.concurrent}")
        if not 0 < self.timeout < float("inf"):
            raise ValueError(f"timeout must be above 0, got {self.timeout}")
        names = ("requests_per_minute", "retries", "backoff", "context_length")
        for name in (*names, "prompt_price", "reply_price"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)}")

    @property
    def key(self) -> str:
        """The key, or an empty text.

        Raises:
            EngineFailed: If the variable cannot hold a key; the message does not repeat it.
        """
        key = os.environ.get(self.key_from, "").strip() if self.key_from else ""
        if not all("!" <= character <= "~" for character in key):
            raise EngineFailed(f"{self.key_from} holds characters that no key has")
        return key


def is_server(name: Any) -> bool:
    """Return whether the name of a model is the address of a server."""
    return isinstance(name, str) and name.startswith(("http://", "https://"))


def read_server(name: str) -> Server:
    """Return the server of a name.

    Raises:
        ModelNotFound: If it names no model, or no address.
        UnknownName: If a setting does not exist.
        ValueError: If a setting is not of its type or out of its range.

    Example:
        >>> read_server("http://localhost:8000/v1#org/small?concurrent=4").model
        'org/small'
    """
    address, _, rest = name.partition("#")
    model, _, settings = rest.partition("?")
    kinds = {item.name: item.type for item in fields(Server)[2:]}
    values: dict[str, Any] = {}
    for setting, text in parse_qsl(settings, keep_blank_values=True):
        if setting not in kinds:
            raise UnknownName("setting of a server", setting, list(kinds))
        kind: Any = kinds[setting]
        try:
            values[setting] = kind(text)
        except ValueError:
            raise ValueError(f"{setting} must be of type {kind.__name__}, got {text!r}") from None
    return Server(address.rstrip("/"), model, **values)


def _check_address(address: str) -> None:
    # A part that may hold a secret is not repeated in the message.
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ModelNotFound(f"the address of a server is not valid: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ModelNotFound("the address of a server has the form http://HOST:PORT/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ModelNotFound(
            f"the address of the server at {host} must hold no user, password or query: "
            "a key is read from an environment variable"
        )
