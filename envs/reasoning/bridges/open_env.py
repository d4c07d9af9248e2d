"""An environment of an OpenEnv server as a text task: a client over its WebSocket.

The messages are those of OpenEnv (`openenv.core.env_server.types`, BSD-3), whose servers
`zerogym serve` is one of: `{"type": "reset" | "step" | "close", "data": {...}}` gets `{"type":
"observation" | "error", "data": {...}}`. A server is code of others on a machine of others: what
it sends is checked, bounded in size and time, and never ends a training run.
"""

import contextlib
import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.core import TextEnv
from zerogym.errors import MissingExtra, NoSnapshot

START_SECONDS = 30.0  # to connect and to reset: a server may have to make its environment
STEP_SECONDS = 30.0
MAX_MESSAGE = 2**20  # bytes that a server may send
MAX_REPLY = 20_000  # characters; a longer reply is not sent and is a fault
_SEEDS = 2**31
_TEXTS = ("text", "prompt", "content", "message", "result", "stdout")  # keys that servers use


class ServerFault(Exception):
    """The server is gone, is too slow, or sends what is no observation."""


@dataclass
class RemoteEpisode:
    """An episode that a server plays, as far as it is known here."""

    said: str
    turn: int = 0
    over: bool = False


class OpenEnvEnv(TextEnv):
    """An environment that an OpenEnv server hosts, played over its WebSocket.

    Description:
        Any server of OpenEnv whose observation has a text. Each environment has a connection, and
        so a session of its own, which is opened again for the next episode where it was lost.

    Observation:
        The text of the server's observation, at most 65,536 characters: its field `observation`,
        else the first with a common name (`text`, `prompt`, ...), else the observation as JSON.

    Action:
        The reply as text, which is sent as the field `action` of an action. More than 20,000
        characters are not sent and end the episode.

    Reward:
        The server's, cut to [0, 1]; 0 where it sends none or no number, and where the
        server fails in mid-episode, which also ends the episode (`info["server_fault"]`).

    Episode end:
        By the server, or after `max_turns`.

    Arguments:
        url: Of the server, for example `ws://localhost:8000`; `http` means `ws`.
        settings: JSON values that go with each reset, beside the seed.
        action: Name of the text in the server's actions.
        observation: Name of the text in its observations; None looks for it.
        token: Sent as a bearer token; None sends none.
        max_turns: Most replies in an episode.
        step_seconds: Most seconds for the answer to a reply.
        render_mode: None or `ansi`.

    Example:
        >>> env = OpenEnvEnv("ws://localhost:8000", settings={"difficulty": 0.5})

    Source:
        OpenEnv, "Agentic Execution Environments" (2025, github.com/meta-pytorch/OpenEnv).
    """

    max_observation = 65_536
    waits = True  # for the server

    def __init__(
        self,
        url: str,
        settings: dict[str, Any] | None = None,
        action: str = "text",
        observation: str | None = None,
        token: str | None = None,
        max_turns: int = 100,
        step_seconds: float = STEP_SECONDS,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        scheme, colon, place = url.partition("://")
        known = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
        if not (colon and place and scheme in known):
            raise ValueError(f"url is ws://HOST:PORT of an OpenEnv server, got {url!r:.80}")
        if max_turns < 1 or not step_seconds > 0:
            raise ValueError("max_turns must be at least 1, step_seconds above 0")
        self.url = f"{known[scheme]}://{place.rstrip('/').removesuffix('/ws')}/ws"
        self.settings = json.loads(json.dumps(settings or {}))
        self.action, self.observation, self.max_turns = action, observation, max_turns
        self.step_seconds, self._token = step_seconds, token
        self._socket: Any = None
        self._open = contextlib.ExitStack()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode; the seed that the server gets is drawn from that of `reset`.

        Raises:
            MissingExtra: If `websockets` is not installed.
            ConnectionError: If no episode can be started: no server, a wrong token, a refusal.
        """
        super().reset(seed=seed)
        self._reset_options(options, ())
        data = self.settings | {"seed": int(self.np_random.integers(_SEEDS))}
        try:
            if self._socket is not None:
                with contextlib.suppress(ServerFault):  # lost since the last episode: once more
                    return self._started(self._exchange("reset", data, START_SECONDS))
            self._connect()
            return self._started(self._exchange("reset", data, START_SECONDS))
        except ServerFault as fault:
            self.close()
            raise ConnectionError(f"{self.url} starts no episode: {fault}") from None

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Send the reply to the server."""
        reply = self._check_text(action)
        episode: RemoteEpisode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        episode.turn += 1
        info: dict[str, Any] = {"turn": episode.turn, "void_turn": False}
        done, reward = True, 0.0
        try:
            if len(reply) > MAX_REPLY:
                info["void_turn"], episode.said = True, "The reply is too long."
            else:
                sent = {self.action: reply.encode("utf-8", "replace").decode()}
                found = self._exchange("step", sent, self.step_seconds)
                done, reward, episode.said = found["done"], found["reward"], found["said"]
        except ServerFault as fault:
            info["server_fault"], episode.said = str(fault), f"The server failed: {fault}"
            self.close()
        cut = not done and episode.turn >= self.max_turns
        episode.over = done or cut
        if episode.over:
            info |= {"score": reward, "correct": reward == 1.0, "success": reward == 1.0}
        return episode.said, reward, done, cut, info

    def get_state(self) -> dict[str, Any]:
        """Refuse, as the episode is the server's.

        Raises:
            NoSnapshot: Always.
        """
        raise NoSnapshot(f"{self.name}: a server plays the episode, which has no snapshots here")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy begins with: a connection of its own, and no running episode.

        Raises:
            NoSnapshot: If an episode is running.
        """
        if self._episode is not None and not self._episode.over:
            self.get_state()
        return self.__dict__ | {"_socket": None, "_open": contextlib.ExitStack()}

    def random_action(self, rng: np.random.Generator) -> str:
        """Return a small number, bare or in square brackets."""
        return ("{}", "[{}]")[int(rng.integers(2))].format(int(rng.integers(10)))

    def render(self) -> str | None:
        """Return what the server has said last."""
        return None if self.render_mode is None or self._episode is None else self._episode.said

    def close(self) -> None:
        """Close the connection."""
        socket, self._socket = self._socket, None
        if socket is not None:
            with contextlib.suppress(Exception):  # it may be gone
                socket.send('{"type": "close"}')
            with contextlib.suppress(Exception):
                self._open.close()

    def _started(self, found: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        self._episode = RemoteEpisode(found["said"], over=found["done"])
        return found["said"], {"turn": 0, "void_turn": False}

    def _connect(self) -> None:
        try:
            from websockets.exceptions import WebSocketException
            from websockets.sync.client import connect
        except ModuleNotFoundError:
            raise MissingExtra(
                "zerogym/OpenEnv-v0 needs websockets: pip install 'zerogym[serve]'"
            ) from None
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else None
        try:
            opened = connect(
                self.url,
                additional_headers=headers,
                open_timeout=START_SECONDS,
                close_timeout=1,
                max_size=MAX_MESSAGE,
                proxy=None,
            )
            self._socket = self._open.enter_context(opened)
        except (OSError, WebSocketException) as error:
            raise ServerFault(_line(error)) from None

    def _exchange(self, kind: str, data: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a message and return what its answer says, after the checks of the answer.

        Raises:
            ServerFault: If there is no answer in time, or it is no observation.
        """
        deadline = time.monotonic() + seconds
        try:
            if self._socket is None:
                raise ServerFault("there is no connection")
            self._socket.send(json.dumps({"type": kind, "data": data}))
            raw = self._socket.recv(max(0.0, deadline - time.monotonic()))
            message = json.loads(raw)
        except TimeoutError:
            raise ServerFault(f"no answer within {seconds:g} s") from None
        except ServerFault:
            raise
        except Exception as error:  # closed, too large, no JSON, nested too deeply
            raise ServerFault(_line(error)) from None
        content = message.get("data") if isinstance(message, dict) else None
        if not isinstance(content, dict) or message.get("type") != "observation":
            says = content.get("message") if isinstance(content, dict) else None
            raise ServerFault(f"it says {says!r:.200}" if says else f"it sends {message!r:.80}")
        return {
            "said": self._text_of(content.get("observation"))[: self.max_observation],
            "done": bool(content.get("done")),
            "reward": _in_range(content.get("reward")),
        }

    def _text_of(self, observation: object) -> str:
        names = _TEXTS if self.observation is None else (self.observation,)
        fields = observation if isinstance(observation, dict) else {}
        texts = (fields[name] for name in names if isinstance(fields.get(name), str))
        found = next(texts, None)
        if found is None:
            if self.observation is not None:
                raise ServerFault(f"its observation has no text {self.observation!r:.80}")
            found = observation if isinstance(observation, str) else json.dumps(observation)
        return found.encode("utf-8", "replace").decode()


def _in_range(reward: object) -> float:
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        return 0.0
    return float(min(1, max(0, reward))) if reward == reward else 0.0


def _line(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:200]
