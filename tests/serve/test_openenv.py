"""Sessions over WebSocket and HTTP: episodes are those of the environment, and nothing mixes."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from socket import SHUT_RDWR, create_connection

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("mcp_types", reason="the extra `serve` is not installed")

from helpers.serving import connect, metric, request, reset, running, send, step
from zerogym.envs.core import TextEnv
from zerogym.serve import Limits, World
from zerogym.serve.sessions import Sessions
from zerogym.serve.worlds import as_json

WORLDS = [World(f"zerogym/{name}-v0") for name in ("Countdown", "KuhnPoker", "FourRooms")]


class Fails(TextEnv):
    """Counts replies; `fail` raises, `slow` takes half a second."""

    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self._episode = 0
        return f"start {seed}", {"mask": np.array([1, 0], np.int8), "limit": np.float64("inf")}

    def step(self, action):
        if action == "fail":
            raise RuntimeError("a secret of the server")
        time.sleep(0.5 * (action == "slow"))
        self._episode += 1
        thread = threading.current_thread().name
        return f"{self._episode}: {action}", 0.5, False, False, {"thread": thread}


class Meets(Fails):
    """A step ends when another environment makes one at the same time."""

    waits = True
    met = threading.Barrier(2, timeout=60)

    def step(self, action):
        self.met.wait()
        return super().step(action)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    for made in (Fails, Meets):
        gym.register(f"Served/{made.__name__}-v0", entry_point=made)
    own = [World("Served/Fails-v0"), World("Served/Meets-v0")]
    with running([*WORLDS, *own], seed=5, limits=Limits(64)) as found:
        yield found
    for world in own:
        del gym.registry[world.id]


def wait_for_no_sessions(address: str) -> None:
    """Wait until the server has freed all."""
    for _ in range(1200):  # a minute
        if metric(address, "sessions") == 0:
            return
        time.sleep(0.05)
    raise AssertionError("a session is still open")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_session_plays_the_episode_of_its_seed(address: str, world: World) -> None:
    own = world.make()
    with connect(address, f"/{world.name}/ws") as socket:
        for seed in range(3):
            text, info = own.reset(seed=seed)
            data = reset(socket, seed=seed)
            observed = data["observation"]
            assert (observed["text"], observed["info"]) == (text, as_json(info))
            assert (data["reward"], data["done"]) == (None, False)
            steps, total = 0, 0.0
            while not data["done"]:
                action = own.unwrapped.oracle_action()  # type: ignore[attr-defined]
                text, reward, terminated, truncated, info = own.step(action)
                data = step(socket, action)
                steps, total = steps + 1, total + float(reward)
                observed = data["observation"]
                assert (observed["text"], observed["info"]) == (text, as_json(info))
                assert data["reward"] == float(reward)
                assert (observed["terminated"], observed["truncated"]) == (terminated, truncated)
            state = send(socket, {"type": "state"})["data"]
            assert (state["step_count"], state["return"], state["done"]) == (steps, total, True)
            assert (state["seed"], state["env_id"]) == (seed, world.id)


def test_openenvs_own_client_plays() -> None:
    client = pytest.importorskip(
        "openenv.core.generic_client", reason="openenv-core is not installed"
    )

    async def play(address: str) -> tuple[float, dict]:
        own = WORLDS[0].make()
        own.reset(seed=7)
        async with client.GenericEnvClient(f"http://any:secret@{address}") as env:
            first = await env.reset(seed=7, episode_id="mine")
            assert first.observation["text"].startswith("Use each") and not first.done
            last = await env.step({"text": own.unwrapped.oracle_action()})
            assert last.done
            return last.reward, await env.state()

    with running(WORLDS[:1], token="secret") as address:
        reward, state = asyncio.run(play(address))
    assert reward == 1.0 and (state["episode_id"], state["step_count"]) == ("mine", 1)


def test_sessions_beside_each_other_do_not_mix(address: str, stack: ExitStack) -> None:
    """Forty sessions, half of them over HTTP, stepped in a random order."""
    own = World("zerogym/FourRooms-v0").make()
    base, count, moves = "/FourRooms-v0", 40, 4
    sockets = [stack.enter_context(connect(address, f"{base}/ws")) for _ in range(count // 2)]
    keys = []
    for seed in range(count):
        if seed < len(sockets):
            reset(sockets[seed], seed=seed)
        else:
            data = request(address, f"{base}/reset", {"seed": seed})[1]
            keys.append(data["observation"]["session_id"])
    assert len(set(keys)) == len(keys)
    texts: dict[int, list[str]] = {seed: [] for seed in range(count)}
    rng = np.random.default_rng(0)
    for seed in rng.permutation(np.repeat(np.arange(count), moves)):
        move = f"<answer>{len(texts[seed]) % 3}</answer>"
        if seed < len(sockets):
            data = step(sockets[seed], move)
        else:
            body = {"session_id": keys[seed - len(sockets)], "action": {"text": move}}
            data = request(address, f"{base}/step", body)[1]
        texts[seed].append(data["observation"]["text"])
    for seed in range(count):
        own.reset(seed=seed)
        assert texts[seed] == [own.step(f"<answer>{n % 3}</answer>")[0] for n in range(moves)]
    for key in keys:
        assert request(address, f"{base}/close", {"session_id": key}) == (200, {"closed": True})
        assert request(address, f"{base}/state?session_id={key}")[0] == 404


def test_seeds_that_clients_leave_to_the_server_follow_from_its_seed() -> None:
    def drawn() -> list[int]:
        with running(WORLDS[:1], seed=11) as address:
            found = []
            for _ in range(2):
                with connect(address) as socket:
                    found += [reset(socket)["observation"]["seed"] for _ in range(2)]
            return found

    first = drawn()
    assert len(set(first)) == 4 and drawn() == first


@pytest.mark.parametrize(
    ("message", "code", "words"),
    [
        ("nonsense", "INVALID_JSON", "invalid JSON"),
        ("[" * 100_000, "INVALID_JSON", "nested too deeply"),
        ("[1]", "INVALID_JSON", "JSON object"),
        (b"\x00", "INVALID_JSON", "invalid JSON"),
        ({"type": "jump"}, "UNKNOWN_TYPE", "'jump'"),
        ({"type": "step", "data": {"txt": "x"}}, "VALIDATION_ERROR", "an action is"),
        ({"type": "step", "data": "x"}, "VALIDATION_ERROR", "data is an object"),
        ({"type": "reset", "data": {"seed": True}}, "VALIDATION_ERROR", "seed is an"),
        ({"type": "reset", "data": {"seed": -1}}, "VALIDATION_ERROR", "seed is an"),
        ({"type": "reset", "data": {"options": 3}}, "VALIDATION_ERROR", "options is an object"),
        ({"type": "reset", "data": {"options": {"hard": 1}}}, "VALIDATION_ERROR", "difficulty"),
        ({"type": "reset", "data": {"split": "all"}}, "VALIDATION_ERROR", "split"),
    ],
)  # fmt: skip
def test_bad_messages_get_words_and_the_session_goes_on(
    address: str, message: object, code: str, words: str
) -> None:
    with connect(address) as socket:
        error = send(socket, message)
        assert (error["type"], error["data"]["code"]) == ("error", code)
        assert words in error["data"]["message"]
        assert not reset(socket, seed=1, difficulty=2)["done"]


def test_a_step_outside_of_an_episode_is_refused(address: str) -> None:
    with connect(address) as socket:
        assert "no episode is running" in step(socket, "x")["message"]
        reset(socket, seed=0)
        assert step(socket, "\ud800")["done"]  # a lone surrogate is text, too
        assert "the episode is over" in step(socket, "x")["message"]
    assert request(address, "/step", {"action": {"text": "x"}})[0] == 404
    assert request(address, "/step", b"{")[0] == 422
    other = request(address, "/KuhnPoker-v0/reset", {})[1]["observation"]["session_id"]
    body = {"session_id": other, "action": {"text": "x"}}
    assert request(address, "/step", body)[0] == 404  # of another world


def test_a_defect_of_the_environment_ends_its_episode_only(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(address, "/Fails-v0/ws") as socket:
        observed = reset(socket, seed=4)["observation"]
        assert observed["text"] == "start 4" and observed["info"] == {"mask": [1, 0], "limit": None}
        error = step(socket, "fail")
        assert error["code"] == "EXECUTION_ERROR" and "secret" not in error["message"]
        assert "a secret of the server" in caplog.text
        assert "the episode is over" in step(socket, "x")["message"]
        reset(socket, seed=5)
        assert step(socket, "x")["observation"]["text"] == "1: x"


@pytest.mark.parametrize(("name", "threads"), [("Fails-v0", 1), ("Meets-v0", 2)])
def test_only_steps_that_wait_run_beside_each_other(address: str, name: str, threads: int) -> None:
    path = f"/{name}/ws"
    with connect(address, path) as first, connect(address, path) as second:
        both = (first, second)
        for socket in both:
            reset(socket)
        for socket in both:
            socket.send(json.dumps({"type": "step", "data": {"text": "x"}}))
        infos = [json.loads(socket.recv(60))["data"]["observation"]["info"] for socket in both]
        assert len({info["thread"] for info in infos}) == threads


@pytest.mark.usefixtures("address")  # which registers the id
def test_a_client_that_leaves_without_a_word_frees_its_session() -> None:
    with running([World("Served/Fails-v0")]) as address:
        with connect(address) as socket:
            reset(socket)
            socket.send(json.dumps({"type": "step", "data": {"text": "slow"}}))
            assert metric(address, "sessions") == 1  # answered while a step is running
            socket.socket.shutdown(SHUT_RDWR)
        wait_for_no_sessions(address)


def test_limits_of_sessions_and_size() -> None:
    with running(WORLDS[:1], max_message=2048, limits=Limits(2, message=2048)) as address:
        key = request(address, "/reset", {})[1]["observation"]["session_id"]
        with connect(address) as first, connect(address) as second:
            assert "no episode" in step(first, "x")["message"]
            assert json.loads(second.recv(20))["data"]["code"] == "CAPACITY_REACHED"
            assert request(address, "/reset", {})[0] == 503
            assert metric(address, "refused_full_total") == 2
        assert request(address, "/close", {"session_id": key})[0] == 200
        wait_for_no_sessions(address)
        body = {"action": {"text": "x" * 3000}}
        assert request(address, "/step", body) == (
            413, {"detail": "a request has at most 2048 bytes", "code": "VALIDATION_ERROR"}
        )  # fmt: skip
        with connect(address) as socket:
            socket.send("x" * 3000)
            with pytest.raises(Exception, match="1009"):
                socket.recv(20)
    with pytest.raises(ValueError, match="at least 1"):
        Limits(sessions=0)


def test_a_client_that_never_closes_or_never_ends_its_request() -> None:
    with running(WORLDS[:1], limits=Limits(idle=0.3)) as address:
        key = request(address, "/reset", {})[1]["observation"]["session_id"]
        with connect(address) as socket:
            late = json.loads(socket.recv(20))["data"]
            assert late["code"] == "SESSION_ERROR" and "0.3 s" in late["message"]
            with pytest.raises(Exception, match="1000"):
                socket.recv(20)
        wait_for_no_sessions(address)
        body = {"session_id": key, "action": {"text": "x"}}
        assert request(address, "/step", body)[0] == 404
        assert metric(address, "closed_idle_total") == 2
        host, _, port = address.partition(":")
        with create_connection((host, int(port)), 20) as slow:
            slow.sendall(b"POST /reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            assert slow.recv(100).startswith(b"HTTP/1.1 408")


def test_what_is_served_is_described(address: str) -> None:
    assert request(address, "/health") == (200, {"status": "healthy"})
    status, schema = request(address, "/KuhnPoker-v0/schema")
    assert status == 200 and schema["action"]["required"] == ["text"]
    assert set(schema) == {"action", "observation", "state"}
    metadata = request(address, "/metadata")[1]
    assert metadata["name"] == "zerogym/Countdown-v0" and "expression" in metadata["description"]


def test_openenvs_own_check_of_a_server_passes_but_for_mcp(address: str) -> None:
    """Its criterion of MCP is a plain POST of `{}` with status 200, which MCP itself refuses."""
    check = pytest.importorskip("openenv.cli._validation", reason="openenv-core is not installed")
    report = check.validate_running_environment(f"http://{address}")
    found = {each["id"]: each["passed"] for each in report["criteria"]}
    assert report["mode"] == "simulation" and len(found) > 4
    assert [name for name, passed in found.items() if not passed] == ["mcp_endpoint"]


def test_a_session_that_two_clocks_find_idle_is_counted_once() -> None:
    async def expired_twice() -> int:
        sessions = Sessions(WORLDS[:1], seed=0)
        session = sessions.new(WORLDS[0])
        await session.reset(1)
        await asyncio.gather(sessions.expire(session), sessions.expire(session))
        assert not sessions.open and session.env is None
        return sessions.counted["closed_idle"]

    assert asyncio.run(expired_twice()) == 1
