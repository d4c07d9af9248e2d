"""Programs that wait for replies: turns, ends, errors, and programs that do everything wrong."""

import asyncio
import threading
from typing import Any

import pytest

from zerogym.envs.reasoning.bridges.programs import Program, ProgramFailed, Request

LONG = 60.0  # seconds; no test waits for it


async def adder(request: Request) -> int:
    """Add numbers until a reply is empty."""
    total = 0
    while number := await request(f"total {total}"):
        total += int(number)
    return total


async def exits(request: Request) -> None:
    raise SystemExit(3)


def test_a_program_waits_for_each_reply_and_ends_with_its_result() -> None:
    program = Program()
    assert program.start(adder, LONG).said == "total 0"
    assert program.reply("3", LONG).said == "total 3"
    assert program.reply("4", LONG).said == "total 7"
    end = program.reply("", LONG)
    assert (end.result, end.reply) == (7, None)
    with pytest.raises(ProgramFailed, match="waits for no reply"):
        program.reply("5", LONG)
    program.close()
    with pytest.raises(ProgramFailed, match="waits for no reply"):
        program.reply("5", LONG)
    assert program.start(adder, LONG).said == "total 0"  # also after the end
    program.close()


def test_errors_and_exits_are_one_line_and_leave_the_thread_for_the_next_program() -> None:
    program = Program()
    program.start(adder, LONG)
    with pytest.raises(ProgramFailed, match=r"ValueError: invalid literal .*'x'"):
        program.reply("x", LONG)
    with pytest.raises(ProgramFailed, match="SystemExit: 3"):
        program.start(exits, LONG)
    assert program.start(adder, LONG).said == "total 0"
    program.close()


def test_a_program_that_is_replaced_is_cancelled_and_says_no_more() -> None:
    ended = []

    async def stubborn(request: Request) -> None:
        try:
            await request("first")
        finally:
            ended.append("cancelled")
            await request("unheard")

    program = Program()
    program.start(stubborn, LONG)
    assert program.start(adder, LONG).said == "total 0"
    assert program.reply("1", LONG).said == "total 1"
    assert ended == ["cancelled"]
    program.close()


def test_questions_of_the_same_time_get_their_replies_in_order() -> None:
    async def two(request: Request) -> list[str]:
        return await asyncio.gather(request("left"), request("right"))

    program = Program()
    assert program.start(two, LONG).said == "left"
    assert program.reply("a", LONG).said == "right"
    assert program.reply("b", LONG).result == ["a", "b"]
    program.close()


@pytest.mark.parametrize("blocks", [False, True])
def test_a_program_that_is_too_slow_is_given_up(blocks: bool) -> None:
    hold = threading.Event()

    async def slow(request: Request) -> None:
        await request("go")
        if blocks:
            hold.wait(LONG)  # the thread itself waits
        await asyncio.sleep(LONG)

    program = Program()
    program.start(slow, LONG)
    with pytest.raises(ProgramFailed, match=r"no answer within 0\.05 s"):
        program.reply("x", 0.05)
    assert program.start(adder, LONG).said == "total 0"  # while the other still holds its thread
    hold.set()
    program.close()


def test_the_thread_ends_with_close_and_with_the_last_reference() -> None:
    async def thread(request: Request) -> Any:
        return threading.current_thread()

    program = Program()
    first = program.start(thread, LONG).result
    assert program.start(thread, LONG).result is first
    program.close()
    first.join(LONG)
    second = program.start(thread, LONG).result
    del program
    second.join(LONG)
    assert not first.is_alive() and not second.is_alive()
