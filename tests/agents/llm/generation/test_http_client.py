"""Requests to a server that fails in every way: again, slower, and in the end a clear error."""

import asyncio
import itertools
import signal
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from helpers.llm.model_server import Answer, Request, serving

pytest.importorskip("httpx2")

from zerogym.agents.llm.generation import http_client
from zerogym.agents.llm.generation.http_client import HTTPClient, RequestRefused, _seconds
from zerogym.agents.llm.models.endpoints import Server, read_server
from zerogym.errors import EngineFailed, ModelNotFound, ServerDown, UnknownName

FINE = Answer({"fine": True})


def line(address: str, **settings) -> HTTPClient:
    return HTTPClient(Server(address, "m", **{"backoff": 0.001, "retries": 2, **settings}))


def after(*first: Answer):
    """A script: these answers, then fine ones."""
    answers = itertools.chain(first, itertools.repeat(FINE))
    lock = threading.Lock()

    def script(request: Request) -> Answer:
        with lock:
            return next(answers)

    return script


@pytest.mark.parametrize(
    "failure",
    [
        Answer({"error": {"message": "later"}}, 429),
        Answer("broken", 500),
        Answer("", 503),
        Answer('{"choices": [', 200),
        Answer("<html>", 200),
        Answer(hang_up=True),
        Answer(FINE.body, seconds=5.0),
    ],
    ids=["429", "500", "503", "half", "html", "hung up", "slow"],
)
def test_transient_failures_are_retried(failure):
    with serving(after(failure)) as server:
        patience = 0.5 if failure.seconds else 60
        assert line(server.address, timeout=patience).post("x", [{"a": 1}], 0) == [FINE.body]
        assert [request.body for request in server.requests] == [{"a": 1}, {"a": 1}]


def test_a_server_that_stays_down_is_an_error_that_says_so():
    with serving(lambda request: Answer({"error": {"message": "on fire"}}, 500)) as server:
        client = line(server.address)
        with pytest.raises(ServerDown, match=r"model m.*status 500 on fire \(attempts: 3\)"):
            client.post("x", [{}], 0)
        assert len(server.requests) == 3
    with pytest.raises(ServerDown, match=r"ConnectError.*attempts: 3"):
        client.post("x", [{}], 0)  # nobody listens there any more


def test_refusals_are_not_retried():
    def script(request: Request) -> Answer:
        no = {"error": {"message": "no such thing", "code": "c"}}
        return Answer(no, 404) if request.body == {"a": 0} else FINE

    with serving(script) as server:
        refusal, fine = line(server.address).post("x", [{"a": 0}, {"a": 1}], 0)
        assert isinstance(refusal, RequestRefused) and (refusal.status, refusal.code) == (404, "c")
        assert "status 404 no such thing" in str(refusal) and fine == FINE.body
        assert len(server.requests) == 2


def test_retry_after_holds_all_requests(monkeypatch):
    slept = []
    busy = Answer("", 429, {"Retry-After": "7"})
    with serving(after(busy)) as server:
        client = line(server.address)
        clock = [100.0]

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            clock[0] += max(0.0, seconds)

        monkeypatch.setattr(http_client.asyncio, "sleep", sleep)
        monkeypatch.setattr(http_client.time, "monotonic", lambda: clock[0])
        assert client.post("x", [{}], 0) == [FINE.body]
        assert clock[0] == pytest.approx(107.0, abs=0.01)
        assert client._next == pytest.approx(107.0)
        busy = Answer("", 429, {"Retry-After": "3600"})
        server.script = lambda request: busy
        with pytest.raises(ServerDown, match=r"Retry-After is 3600 s \(attempts: 1\)"):
            client.post("x", [{}], 0)


def test_retry_after_is_a_number_or_a_date():
    soon = datetime.now(UTC) + timedelta(seconds=90)
    assert _seconds("2.5") == 2.5
    assert 80 < _seconds(format_datetime(soon, usegmt=True)) <= 90
    for nonsense in (None, "", "soon", "nan", "-3", "Thu, 01 Jan 1970 00:00:00 GMT"):
        assert _seconds(nonsense) == 0.0


def test_pauses_double_and_follow_from_the_seed(monkeypatch):
    def pauses(seed: int) -> list[float]:
        slept = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        with monkeypatch.context() as patch:
            patch.setattr(http_client.asyncio, "sleep", sleep)
            with pytest.raises(ServerDown):
                HTTPClient(Server("http://127.0.0.1:1/v1", "m", retries=8)).post("x", [{}], seed)
        return [seconds for seconds in slept if seconds > 0]

    found = pauses(1)
    assert found == pauses(1) != pauses(2)
    whole = [1, 2, 4, 8, 16, 32, 60, 60]
    assert all(full / 2 <= pause <= full for pause, full in zip(found, whole, strict=True))


def test_requests_keep_to_their_limits(monkeypatch):
    together = threading.Barrier(3)  # an answer comes when three requests are there

    def script(request: Request) -> Answer:
        if request.body["n"] < 9:
            together.wait(60)
        return Answer({"n": request.body["n"]})

    with serving(script) as server:
        bodies = [{"n": number} for number in range(9)]
        answers = line(server.address, concurrent=3).post("x", bodies, 0)
        assert answers == bodies and server.busiest == 3

        slept = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        monkeypatch.setattr(http_client.asyncio, "sleep", sleep)
        slow = line(server.address, requests_per_minute=6)
        started = time.monotonic()
        slow.post("x", [{"n": 9}] * 3, 0)
        slow.post("x", [{"n": 9}], 0)
        assert slow._next == pytest.approx(started + 4 * 10, abs=5)
        assert [round(seconds, -1) for seconds in slept] == [0, 10, 20, 30]


def test_ctrl_c_does_not_wait_for_the_server():
    def script(request: Request) -> Answer:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        return Answer(FINE.body, seconds=20.0)

    with serving(script) as server:
        with pytest.raises(KeyboardInterrupt):
            line(server.address).post("x", [{}], 0)
        assert server.busy == 1  # it is still silent


def test_a_reply_cannot_fill_the_memory(monkeypatch):
    with serving(lambda request: Answer("x" * 10_000_000)) as server:
        with pytest.raises(EngineFailed, match="larger than 4,000,000 bytes"):
            line(server.address).post("x", [{}], 0)
        assert len(server.requests) == 1


def test_the_key_is_sent_and_never_shown(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "sk-secret")

    def script(request: Request) -> Answer:
        return Answer({"error": f"wrong key {request.authorization}"}, 401)

    with serving(script) as server:
        client = line(server.address, key_from="SOME_KEY")
        [refusal] = client.post("x", [{}], 0)
        assert server.requests[0].authorization == "Bearer sk-secret"
        assert "wrong key Bearer ***" in str(refusal)
        assert "secret" not in f"{refusal!r} {client.server!r}"
        [_] = line(server.address).post("x", [{}], 0)
        assert server.requests[1].authorization is None
        for wrong in ("sk-secret\nX: y", "sk-schlüssel", "sk secret"):
            monkeypatch.setenv("SOME_KEY", wrong)
            with pytest.raises(EngineFailed, match=r"^SOME_KEY holds characters that no key has$"):
                client.post("x", [{}], 0)


def test_a_loop_that_runs_already_does_no_harm():
    async def notebook(address: str):
        return line(address).post("x", [{}], 0)

    with serving(lambda request: FINE) as server:
        assert asyncio.run(notebook(server.address)) == [FINE.body]


def test_names_of_servers():
    server = read_server("https://h:8/v1/#org/m:free?requests_per_minute=60&tokenizer=tiny")
    assert (server.address, server.model) == ("https://h:8/v1", "org/m:free")
    assert (server.requests_per_minute, server.tokenizer) == (60.0, "tiny")
    for name, error, words in (
        ("http://h/v1", ModelNotFound, "name a model"),
        ("http:///v1#m", ModelNotFound, "http://HOST:PORT/v1"),
        ("http://h:nine/v1#m", ModelNotFound, "not valid"),
        ("http://h/v1#m?speed=9", UnknownName, "speed"),
        ("http://h/v1#m?concurrent=many", ValueError, "of type int, got 'many'"),
        ("http://h/v1#m?concurrent=0", ValueError, "at least 1"),
        ("http://h/v1#m?timeout=nan", ValueError, "timeout"),
        ("http://h/v1#m?retries=-1", ValueError, "retries"),
    ):
        with pytest.raises(error, match=words):
            read_server(name)
    for name in ("http://me:sk-secret@h/v1#m", "http://h/v1?key=sk-secret#m"):
        with pytest.raises(ModelNotFound, match="environment variable") as caught:
            read_server(name)
        assert "secret" not in str(caught.value)
