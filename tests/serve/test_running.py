"""A server answers those who may send requests, and its start and end are one line each."""

import base64
import os
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

pytest.importorskip("mcp_types", reason="the extra `serve` is not installed")

from helpers.serving import connect, request, reset, running
from zerogym.cli import app
from zerogym.serve import CannotServe, NoTextView, World, serve_http
from zerogym.serve.running import bound_socket

COUNTDOWN = World("zerogym/Countdown-v0")


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"any:{password}".encode()).decode()


@pytest.mark.parametrize(
    ("shown", "status"),
    [
        (None, 401), ("Bearer wrong", 401), ("Bearer", 401), ("secret", 401),
        (basic("wrong"), 401), ("Basic ***", 401), ("Bearer sécret", 401),
        ("Bearer secret", 200), (basic("secret"), 200),
    ],
)  # fmt: skip
def test_a_token_is_required(guarded: str, shown: str | None, status: int) -> None:
    from websockets.exceptions import InvalidStatus

    headers = {} if shown is None else {"Authorization": shown}
    assert request(guarded, "/reset", {}, **headers)[0] == status
    for path in ("/metrics", "/Countdown-v0/schema"):
        assert request(guarded, path, **headers)[0] == status
    assert request(guarded, "/mcp", {}, **headers)[0] in ((401,) if status == 401 else (400, 406))
    assert request(guarded, "/health")[0] == 200
    if shown is None or shown.isascii():
        try:
            with connect(guarded, additional_headers=headers) as socket:
                assert reset(socket)["done"] is False and status == 200
        except InvalidStatus as error:
            assert error.response.status_code == status == 401


@pytest.fixture(scope="module")
def guarded():
    with running([COUNTDOWN], token="secret") as address:
        yield address


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "evil.example:8000", 403), ("Host", "[", 403),
        ("Origin", "https://evil.example", 403), ("Origin", "null", 403),
        ("Origin", "http://localhost:3000", 200), ("Host", "localhost", 200),
    ],
)  # fmt: skip
def test_pages_of_other_hosts_are_refused(
    guarded: str, header: str, value: str, status: int
) -> None:
    given = {"Authorization": "Bearer secret", header: value}
    assert request(guarded, "/reset", {}, **given)[0] == status


def test_addresses_that_cannot_be_served_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZEROGYM_SERVE_TOKEN", raising=False)
    with bound_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotServe, match=f"port {port} of 127.0.0.1 is in use"):
            serve_http([COUNTDOWN], port=port)
        shown = CliRunner().invoke(app, ["serve", "countdown", "--port", str(port)])
        assert shown.exit_code == 2 and shown.output.count("\n") == 1 and "in use" in shown.output
    with pytest.raises(CannotServe, match="a token is required"):
        serve_http([COUNTDOWN], host="0.0.0.0", port=0)
    with pytest.raises(CannotServe, match="cannot be served"):
        serve_http([COUNTDOWN], host="203.0.113.7", port=0, token="secret")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["contdown"], "Did you mean 'Countdown'"),
        (["countdown", "countdown"], "each of them once"),
        (["countdown", "kuhn_poker", "--mcp"], "--mcp serves one ID"),
        (["countdown", "--arg", "dificulty=1"], "did you mean 'difficulty'"),
        (["ogbench"], "zerogym/OGBench-v0"),
    ],
)
def test_what_is_typed_wrong_is_one_line(typed: list[str], words: str) -> None:
    shown = CliRunner().invoke(app, ["serve", *typed])
    assert shown.exit_code == 2 and words in " ".join(shown.output.split())
    assert shown.exception is None or isinstance(shown.exception, SystemExit)


def test_an_environment_without_texts_is_refused() -> None:
    with pytest.raises(NoTextView, match="its actions are no texts"):
        World("CartPole-v1").check()


def test_a_server_ends_in_the_middle_of_an_episode() -> None:
    command = [sys.executable, "-m", "zerogym", "serve", "countdown", "--port", "0"]
    environment = os.environ | {"ZEROGYM_SERVE_TOKEN": ""}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        found = re.search(r"http://([\d.:]+)", first)
        assert found is not None, first
        with connect(found[1]) as socket:
            reset(socket)
            process.send_signal(signal.SIGINT)
            with pytest.raises(Exception, match="1012"):
                socket.recv(30)
        process.wait(60)
        rest = process.stderr.read()
    assert "Traceback" not in rest
    assert process.returncode == 130
