"""Environments of OpenEnv servers: `zerogym serve`, and servers that do everything wrong."""

import json
import pickle
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mcp_types", reason="the extra `serve` is not installed")
pytest.importorskip("websockets")

import zerogym
from helpers.serving import running
from zerogym.benchmarks.auditing.determinism import determinism
from zerogym.benchmarks.auditing.subject import Size, Subject
from zerogym.errors import NoSnapshot
from zerogym.serve import Limits, World

SEEDS = 2**31


def open_env(url: str, **arguments: Any) -> Any:
    """The environment without Gymnasium's wrappers."""
    return zerogym.make("OpenEnv", url=url, **arguments).unwrapped


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    worlds = [World("zerogym/SQL-v0")]
    with running(worlds, seed=5, limits=Limits(8)) as found:
        yield f"http://{found}"


@contextmanager
def stub(answers: Callable[[dict], object]) -> Iterator[str]:
    """Serve what a function answers to each message: text as it is, None closes the connection."""
    from websockets.sync.server import serve

    def play(socket: Any) -> None:
        for raw in socket:
            answer = answers(json.loads(raw))
            if answer is None:
                return
            socket.send(answer if isinstance(answer, str | bytes) else json.dumps(answer))

    with serve(play, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield "ws://{}:{}".format(*server.socket.getsockname()[:2])
        finally:
            server.shutdown()
            thread.join(20)


def observed(text: str = "said", reward: object = None, done: object = False) -> dict:
    return {
        "type": "observation",
        "data": {"observation": {"text": text}, "reward": reward, "done": done},
    }


def test_episodes_are_those_of_the_served_task(address: str) -> None:
    theirs, ours = open_env(address), zerogym.make("SQL").unwrapped
    turns = 0
    for seed in range(5):
        text, info = theirs.reset(seed=seed)
        inner = int(np.random.default_rng(seed).integers(SEEDS))  # Gymnasium's own generator
        assert text == ours.reset(seed=inner)[0]
        assert info == {"turn": 0, "void_turn": False}
        over = False
        while not over:
            action = ours.oracle_action()
            text, reward, done, cut, info = theirs.step(action)
            other, score, ended, _, _ = ours.step(action)
            assert (text, reward, done) == (other, score, ended)
            over, turns = done or cut, turns + 1
        assert info["correct"] and info["score"] == 1.0
    assert turns > 5  # some have several
    theirs.close()


def test_the_same_seed_is_the_same_episode_also_in_a_second_connection(address: str) -> None:
    first, second = open_env(address), open_env(address)
    assert first.reset(seed=3)[0] == second.reset(seed=3)[0]
    assert first.step("SELECT 1")[0] == second.step("SELECT 1")[0]
    assert first.reset(seed=4)[0] != second.reset(seed=3)[0]
    first.close(), second.close()


def test_copies_are_of_environments_without_a_running_episode(address: str) -> None:
    env = open_env(address)
    text, _ = env.reset(seed=3)
    for copied in (env.get_state, lambda: pickle.dumps(env)):
        with pytest.raises(NoSnapshot, match="a server plays the episode"):
            copied()
    env.close()
    copy = pickle.loads(pickle.dumps(open_env(address)))
    assert copy.reset(seed=3)[0] == text
    copy.close()


def test_an_audit_closes_its_sessions_and_leaves_out_copies() -> None:
    with running([World("zerogym/SQL-v0")], seed=5, limits=Limits(16)) as found:  # of over thirty
        subject = Subject("zerogym/OpenEnv-v0", {"url": f"http://{found}"})
        result = determinism(subject, Size(episodes=2))
    assert (result.status, result.says) == ("pass", "8 of 8 ways")


def test_a_connection_that_was_lost_is_opened_again_by_reset(address: str) -> None:
    env = open_env(address)
    text, _ = env.reset(seed=3)
    env._socket.close()
    said, reward, done, _, info = env.step("SELECT 1")
    assert (reward, done, info["correct"]) == (0.0, True, False)
    assert info["server_fault"] and said.startswith("The server failed: ")
    assert env.reset(seed=3)[0] == text
    env._socket.close()  # and where it is found out by reset itself
    assert env.reset(seed=3)[0] == text
    env.close()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, ""),
        ("no JSON", "Expecting value"),
        ("[" * 100_000, "recursion"),
        ("[1]", r"it sends \[1\]"),
        ({"type": "observation", "data": "text"}, "it sends"),
        ({"type": "error", "data": {"message": "no such action"}}, "it says 'no such action'"),
        ("x" * (2**20 + 1), ""),
        (observed("later"), None),
    ],
)
def test_a_step_that_the_server_fails_is_scored_and_ends_the_episode(
    answer: object, says: str | None
) -> None:
    with stub(lambda sent: observed() if sent["type"] == "reset" else answer) as url:
        env = open_env(url)
        assert env.reset(seed=0)[0] == "said"
        said, reward, done, _, info = env.step("a reply")
        env.close()
    if says is None:
        assert (said, reward, done) == ("later", 0.0, False) and "server_fault" not in info
    else:
        assert (reward, done, info["score"]) == (0.0, True, 0.0)
        assert re.search(says, info["server_fault"]) and len(said) < 300


def test_a_server_that_is_silent_is_given_up_after_the_limit() -> None:
    hold = threading.Event()

    def answers(sent: dict) -> object:
        if sent["type"] == "step":
            hold.wait(20)
        return observed()

    with stub(answers) as url:
        env = open_env(url, step_seconds=0.05)
        env.reset(seed=0)
        info = env.step("a reply")[4]
        hold.set()
        assert info["server_fault"] == "no answer within 0.05 s"
        env.close()


@pytest.mark.parametrize(
    ("sent", "reward"),
    [(0.25, 0.25), (7, 1.0), (-3, 0.0), (None, 0.0), ("1", 0.0), (True, 0.0), (10**400, 1.0),
     (float("nan"), 0.0), (float("inf"), 1.0)],
)  # fmt: skip
def test_rewards_are_numbers_from_0_to_1(sent: object, reward: float) -> None:
    with stub(lambda _: observed(reward=sent, done=True)) as url:
        env = open_env(url)
        env.reset(seed=0)
        env._episode.over = False  # this server ends it at once
        assert env.step("")[1] == reward
        env.close()


def test_fields_of_other_servers_and_long_texts() -> None:
    got = []

    def answers(sent: dict) -> dict:
        got.append(sent["data"])
        fields = {"board": [1, 2], "echoed": "x" * 100_000}
        return {"type": "observation", "data": {"observation": fields, "done": False}}

    with stub(answers) as url:
        named = open_env(url, action="message", observation="echoed", settings={"level": 2})
        assert named.reset(seed=0)[0] == "x" * 65_536
        named.step("hi \ud800")
        assert got[0] == {"level": 2, "seed": got[0]["seed"]} and got[1] == {"message": "hi ?"}
        long = named.step("x" * 20_001)
        assert long[1:3] == (0.0, True) and long[4]["void_turn"] and len(got) == 2
        assert open_env(url).reset(seed=0)[0].startswith('{"board": [1, 2]')
        with pytest.raises(ConnectionError, match="its observation has no text 'text'"):
            open_env(url, observation="text").reset(seed=0)


def test_episodes_have_at_most_as_many_turns_as_they_may() -> None:
    with stub(lambda _: observed()) as url:
        env = open_env(url, max_turns=2)
        env.reset(seed=0)
        assert env.step("")[2:4] == (False, False)
        assert env.step("")[2:4] == (False, True)
        with pytest.raises(RuntimeError, match="call reset"):
            env.step("")
        with pytest.raises(RuntimeError, match="no snapshots"):
            env.get_state()
        env.close()


def test_no_server_and_a_wrong_token_are_one_line() -> None:
    with running([World("zerogym/Countdown-v0")], token="secret") as found:
        env = open_env(f"ws://{found}", token="secret")
        assert env.reset(seed=0)[0]
        env.close()
        with pytest.raises(ConnectionError, match=r"starts no episode: .*(401|403)"):
            open_env(f"ws://{found}", token="guess").reset(seed=0)
    with pytest.raises(ConnectionError, match="starts no episode"):
        env.reset(seed=0)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://localhost"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="url is ws://HOST:PORT"):
        open_env(url)
