"""Tool calls in replies: found where they are, feedback where they are wrong, nothing elsewhere."""

import json
import random
import time
from typing import Any

import pytest

from helpers.tool_episodes import TOOLS
from zerogym.envs.tools.calls import FORMATS, Call, Malformed, get_format
from zerogym.errors import UnknownName

FENCE = "```"
MIB = 2**20


RUN = Call("python", {"code": "print(1)"})
TALL = Call("search", {"query": "tall"})
TALL_3 = Call("search", {"query": "tall", "k": 3})

CALLS: dict[str, dict[str, list[Call]]] = {
    "tag": {
        "<python>print(1)</python>": [RUN],
        "<python>\nprint(1)\n</python> and more": [RUN],
        "I run it:\n<python>\n    print(1)\n\n</python>": [RUN],
        "<python>print(1)": [RUN],
        "<python>print(1)</pyth": [RUN],
        f"<python>\n{FENCE}python\nprint(1)\n{FENCE}\n</python>": [RUN],
        "<python>print(1)</python> then <search>tall</search>": [RUN, TALL],
        '<search>{"query": "tall", "k": 3}</search>': [TALL_3],
        '<search>{"query": "<\\/search>"}</search>': [Call("search", {"query": "</search>"})],
        "<search>{tall}</search>": [Call("search", {"query": "{tall}"})],
        '<python>{"code": 1}</python>': [Call("python", {"code": '{"code": 1}'})],
        "<python>if x:\n    y\n</python>": [Call("python", {"code": "if x:\n    y"})],
        "<python>\n  if x:\n    y\n</python>": [Call("python", {"code": "if x:\n  y"})],
        "<clock></clock>": [Call("clock", {})],
        "I use <python>: <python>print(1)</python>": [RUN],
        "I use `<python>` now: <python>print(1)</python>": [RUN],
        "<think>I could <python>2</python></think><python>print(1)</python>": [RUN],
        "I could <python>2</python>.</think>\n<python>print(1)</python>": [RUN],
        "<think>I am sure. <python>print(1)</python>": [RUN],
        "<python>print('<search>')</python>": [Call("python", {"code": "print('<search>')"})],
    },
    "fence": {
        f"{FENCE}python\nprint(1)\n{FENCE}": [RUN],
        f"So:\n{FENCE}python\nprint(1)\n{FENCE}\nand more": [RUN],
        f"{FENCE}python\nprint(1)": [RUN],
        f"{FENCE}python title=x\n  print(1)\n{FENCE}  ": [RUN],
        f"{FENCE}`python\nprint(1)\n{FENCE}`": [RUN],
        f"{FENCE}`python\n{FENCE}\n{FENCE}`": [Call("python", {"code": FENCE})],
        f"{FENCE}python\nprint(1)\n{FENCE}\n{FENCE}search\ntall\n{FENCE}": [RUN, TALL],
        f'{FENCE}search\n{{"query": "tall", "k": 3}}\n{FENCE}': [TALL_3],
        f"{FENCE}\nplain\n{FENCE}\n{FENCE}python\nprint(1)\n{FENCE}": [RUN],
        f"{FENCE}clock\n{FENCE}": [Call("clock", {})],
        f"<think>\n{FENCE}python\n2\n{FENCE}\n</think>\n{FENCE}python\nprint(1)\n{FENCE}": [RUN],
    },
    "json": {
        '<tool_call>{"name": "python", "arguments": {"code": "print(1)"}}</tool_call>': [RUN],
        '<tool_call>\n{"arguments": {"code": "print(1)"}, "name": "python"}\n</tool_call>': [RUN],
        '<tool_call>{"name": "python", "arguments": {"code": "print(1)"}}': [RUN],
        '<tool_call>{"name": "python", "arguments": "{\\"code\\": \\"print(1)\\"}"}</tool_call>': [
            RUN
        ],
        f'<tool_call>\n{FENCE}json\n{{"name": "python", "parameters": {{"code": "print(1)"}}}}\n'
        f"{FENCE}\n</tool_call>": [RUN],
        '{"name": "search", "arguments": {"query": "tall", "k": 3}}': [TALL_3],
        'Let me see.\n{"name": "search", "arguments": {"query": "tall", "k": 3}}\n': [TALL_3],
        '{"tool_calls": [{"id": "a", "type": "function", "function": {"name": "search", '
        '"arguments": "{\\"query\\": \\"tall\\"}"}}, {"type": "function", "function": '
        '{"name": "python", "arguments": "{\\"code\\": \\"print(1)\\"}"}}]}': [TALL, RUN],
        '{"type": "function", "function": {"name": "search", "arguments": {"query": "tall"}}}': [
            TALL
        ],
        '<tool_call>{"name": "search", "arguments": {"query": "tall"}}</tool_call>\n'
        '<tool_call>{"name": "clock"}</tool_call>': [TALL, Call("clock", {})],
        '<tool_call>[{"name": "clock"}, {"name": "search", "arguments": {"query": "tall"}}]': [
            Call("clock", {}),
            TALL,
        ],
        '<tool_call>{"name": "clock"}\n{"name": "clock"}</tool_call>': [Call("clock", {})] * 2,
        '<tool_call>{"name": "python", "arguments": {"code": "a\nb"}}</tool_call>': [
            Call("python", {"code": "a\nb"})
        ],
        '<think><tool_call>{"name": "x"}</tool_call></think><tool_call>{"name": "clock"}': [
            Call("clock", {})
        ],
    },
}

NO_CALLS: dict[str, list[str]] = {
    "tag": [
        "",
        "The answer is <b>5</b>. <answer>5</answer>",
        "Use `<python>code</python>` for that.",
        "I used <python> for this. <answer>5</answer>",
        "<think>I could <python>2</python></think><answer>5</answer>",
        "<answer><python>1</python></answer>",
        "< python >1</ python >, </python>",
        "<result>5</result>",
        f"{FENCE}python\nprint(1)\n{FENCE}",
        '<tool_call>{"name": "clock"}</tool_call>',
    ],
    "fence": [
        "Run `python` on it, or ```python``` here.",
        f"{FENCE}json\n1\n{FENCE}",
        f"{FENCE}text\n{FENCE}",
        "<python>print(1)</python>",
        f"see {FENCE}python\n1\n{FENCE}x",
    ],
    "json": [
        '<answer>{"name": "clock", "arguments": {}}</answer>',
        'The tool is {"name": "clock", "arguments": {}}',
        '{"name": "Alice", "age": 5}',
        '{"name": "Alice", "age": 5',
        "Write `<tool_call>` for that.",
        '{"type": "function", "function": {"name": "clock", "description": "", "parameters": {}}}',
        "<python>print(1)</python>",
    ],
}

MALFORMED: dict[str, dict[str, str]] = {
    "tag": {
        "<pyhton>1</pyhton>": "There is no tool 'pyhton'. Did you mean python?",
        "<python></python>": "python: argument 'code' is empty",
        "<python>1\n<search>x</search>": "<python> is not closed: write </python>",
        '<search>{"k": 3}</search>': "search: argument 'query' is missing",
        '<search>{"query": "x", "k": 0}</search>': "search: argument 'k' must be >= 1",
        '<search>{"query": "x", "k": "3"}</search>': "'k' must be of type integer, not \"3\"",
        '<search>{"query": "x", "order": "old"}</search>': "must be one of",
        '<search>{"query": "x", "kk": 3}</search>': "there is no argument 'kk', did you mean 'k'?",
        '<search>{"query": "x", "k": 3</search>': "at character 22, where the text ends",
        '<search>{"query": "x", "query": "y"}</search>': "the key 'query' stands twice",
        '<search>{"query": "x", "k": NaN}</search>': "NaN is no JSON number",
        '<search>{"query": "x", "k": 1e999}</search>': "a number is too large",
        "<clock>now</clock>": "clock: it takes no arguments",
        f"<python>{'x' * 2**21}</python>": "more than 1048576 characters",
    },
    "fence": {
        f"{FENCE}pyhton\n1\n{FENCE}": "There is no tool 'pyhton'. Did you mean python?",
        f"{FENCE}python\n{FENCE}": "python: argument 'code' is empty",
        f'{FENCE}search\n{{"query": 5}}\n{FENCE}': "'query' must be of type string, not 5",
    },
    "json": {
        "<tool_call></tool_call>": "Bad JSON: expecting value, at character 1",
        "<tool_call>{": "The call must end with </tool_call>.",
        '<tool_call>{"name": "python", "arguments": {"code": }}</tool_call>': "character 42, near",
        '<tool_call>{"name": "pyton"}</tool_call>': "no tool 'pyton'. Did you mean python?",
        '<tool_call>{"name": "zzz"}</tool_call>': "Tools: python, search, clock.",
        '<tool_call>{"name": 5}</tool_call>': 'A call is {"name": "...", "arguments": {...}}.',
        "<tool_call>5</tool_call>": 'A call is {"name": "...", "arguments": {...}}.',
        '<tool_call>{"name": "python", "arguments": [1]}</tool_call>': "must be a JSON object",
        '<tool_call>{"name": "python", "arguments": "x"}</tool_call>': "the arguments are bad JSON",
        '<tool_call>{"name": "python", "name": "clock"}</tool_call>': "'name' stands twice",
        '<tool_call>{"name": "python", "arguments": {"code": 5}}</tool_call>': "type string, not 5",
        '<tool_call>{"name": "python", "arguments": {}}</tool_call>': "'code' is missing",
        '{"name": "python", "arguments": {"code": "x}': "Bad JSON: unterminated string",
        f"<tool_call>{'[' * 100}{']' * 100}</tool_call>": "more than 32 levels",
        f"<tool_call>{'[' * 100_000}</tool_call>": "more than 32 levels",
        f'<tool_call>{{"name": {"9" * 5000}}}</tool_call>': "a number is too large",
    },
}


def cases(table: dict[str, Any]) -> list[Any]:
    return [
        pytest.param(format, reply, id=f"{format}-{number}")
        for format, replies in table.items()
        for number, reply in enumerate(replies)
    ]


@pytest.mark.parametrize(("format", "reply"), cases(CALLS))
def test_calls_are_found_in_order(format: str, reply: str) -> None:
    assert get_format(format).find(reply, TOOLS) == CALLS[format][reply]


@pytest.mark.parametrize(("format", "reply"), cases(NO_CALLS))
def test_what_only_looks_like_a_call_is_none(format: str, reply: str) -> None:
    assert get_format(format).find(reply, TOOLS) == []


@pytest.mark.parametrize(("format", "reply"), cases(MALFORMED))
def test_a_malformed_call_gets_feedback(format: str, reply: str) -> None:
    first = get_format(format).find(reply, TOOLS)[0]
    assert isinstance(first, Malformed)
    assert MALFORMED[format][reply] in first.feedback
    assert len(first.feedback) < 300


def test_what_follows_a_malformed_call_is_found() -> None:
    assert get_format("tag").find("<python>1\n<search>tall</search>", TOOLS)[1:] == [TALL]
    text = '<tool_call>{</tool_call><tool_call>{"name": "clock"}</tool_call>'
    assert get_format("json").find(text, TOOLS)[1:] == [Call("clock", {})]


# Any reply, in bounded time.


UNITS = (
    "<python>", "</python>", "<python></python>", "<pythn>x</pythn>", "<search>{", "{", "[", '"',
    "`", "` ", "`<python>", "``` ", "\n```", "```python\n", "```python\n```\n", "<think>",
    "</think>", "<answer>", "</answer>", "<tool_call>", "</tool_call>", "<tool_call>{",
    '{"name":',
    '\n{"name": [', '\n{"name": "python", "arguments": {', "<", "<a", " ", "\n ", "\t\n", "\\",
    "\0", "\ud800", "é",
)  # fmt: skip
ENDS = ("", "</python>", "</tool_call>", "\n```", "</think>")


@pytest.mark.proof
@pytest.mark.parametrize("format", FORMATS)
def test_ten_megabytes_of_anything_take_linear_time(format: str) -> None:
    """Each unit, repeated, at two lengths: four times the text may not take much longer than so."""
    find = get_format(format).find

    def seconds(unit: str, size: int) -> float:
        begin = time.process_time()
        find(unit * (size // len(unit)) + ENDS[len(unit) % len(ENDS)], TOOLS)
        return time.process_time() - begin

    def is_slow(unit: str) -> bool:
        return seconds(unit, MIB // 2) > 8 * seconds(unit, MIB // 8) + 0.2

    # Twice: a collection of garbage may fall into one measurement.
    slow = [unit for unit in UNITS if is_slow(unit) and is_slow(unit)]
    assert not slow
    large = ("<python>" * (10 * MIB // 8), "{" * 10 * MIB, "<tool_call>" + "[" * 10 * MIB)
    for text in (*large, '\n{"name": [' * 900 + "1," * MIB):
        begin = time.process_time()
        find(text, TOOLS)
        assert time.process_time() - begin < 5


@pytest.mark.parametrize("format", FORMATS)
def test_any_mixture_of_marks_gives_calls_or_feedback(format: str) -> None:
    rng = random.Random(format)
    kinds = set()
    for _ in range(3000):
        reply = "".join(rng.choice((*UNITS, *ENDS, "1", '"code": "1"}}')) for _ in range(12))
        for item in get_format(format).find(reply, TOOLS):
            kinds.add(type(item))
            if isinstance(item, Call):
                assert item.tool in TOOLS and isinstance(item.arguments, dict)
            else:
                assert 0 < len(item.feedback) < 400
    assert kinds == {Call, Malformed}


def test_not_more_than_a_number_of_calls_is_read() -> None:
    for format, call in (
        ("tag", "<clock></clock>"),
        ("fence", f"{FENCE}clock\n{FENCE}\n"),
        ("json", '<tool_call>{"name": "clock"}</tool_call>'),
    ):
        assert len(get_format(format).find(call * 1000, TOOLS)) == 64
    many = json.dumps({"tool_calls": [{"name": "clock"}] * 1000})
    assert len(get_format("json").find(many, TOOLS)) == 64


def test_an_unknown_format_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'tag'"):
        get_format("tags")
