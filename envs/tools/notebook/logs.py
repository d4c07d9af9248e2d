"""Logs: totals, gaps, bursts and sessions in time windows of a text log."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from typing import ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick, picks
from zerogym.envs.tools.notebook.puzzle import INTEGER, FilePuzzle, sample_names, scaled

MAX_LINES = 8000
LEVELS = ("INFO", "WARNING", "ERROR")
_START = datetime(2031, 1, 1)
_CLOCK = "%Y-%m-%d %H:%M:%S"

Kind = Literal["total", "gap", "burst", "session"]


@dataclass(frozen=True)
class Style:
    """The format of a line, the format of its time, and the pattern of its time."""

    line: str
    clock: str
    time: str

    @property
    def pattern(self) -> str:
        """The pattern of a line, with a group for each field."""
        groups = {name: rf"(?P<{name}>\w+)" for name in ("level", "service", "user")}
        groups |= {"at": f"(?P<at>{self.time})", "ms": r"(?P<ms>\d+)"}
        return re.sub(r"([\[\]|()])", r"\\\1", self.line).format(**groups)


STYLES = (
    Style("{at} {level} {service} user={user} ms={ms}", _CLOCK, r"\S+ \S+"),
    Style("[{at}] {service}/{level}: {user} took {ms} ms", "%d %b %Y, %H:%M:%S", r"[^\]]+"),
    Style("{level}|{at}|{ms}|{user}@{service}", "%Y%m%dT%H%M%S", r"\w+"),
    Style("{service}: {user} ({ms} ms) {at} <{level}>", "%H:%M:%S %Y/%m/%d", r"\S+ \S+"),
)


@dataclass(frozen=True)
class Entry:
    """One entry: seconds since the start, and the rest of it."""

    at: int
    level: str
    service: str
    user: str
    ms: int


@dataclass(frozen=True)
class LogPuzzle(FilePuzzle):
    """A log, some of its entries, and a question about their times or durations.

    Attributes:
        entries: In the order of time.
        style: How lines are written.
        rotated: Numbers of entries before which a line stands that is no entry.
        kind: `total` milliseconds; longest `gap` in seconds between two entries in a row; `burst`,
            the most milliseconds in any `width` seconds; `session`, the longest time in seconds
            from first to last entry without a gap of more than `width` seconds.
        keep: Values that the entries taken must have, by field.
        window: They lie at or after the first of these and before the second.
        width: In seconds.
    """

    category: ClassVar[str] = "log"
    ending: ClassVar[str] = "log"
    entries: tuple[Entry, ...]
    style: Style
    rotated: tuple[int, ...]
    kind: Kind
    keep: tuple[tuple[str, str], ...]
    window: tuple[int, int]
    width: int

    @property
    def question(self) -> str:
        start, end = (_at(second).strftime(_CLOCK) for second in self.window)
        keep = "".join(f" of {field} {value}" for field, value in self.keep)
        question = {
            "total": "How many milliseconds did they take in all?",
            "gap": "How many seconds is the longest gap between two of them in a row?",
            "burst": f"What is the largest total of their milliseconds in any {self.width} seconds "
            f"(from an entry at time t, entries before t + {self.width} s count)?",
            "session": f"A session ends where the next of them is more than {self.width} seconds "
            "later. How many seconds is the longest session, from its first to its last entry?",
        }[self.kind]
        return (
            f"From the log {self.file} take the entries{keep} from {start} (included) to {end} "
            f"(not included). {question} {INTEGER}"
        )

    def text(self) -> str:
        lines = []
        for number, entry in enumerate(self.entries):
            if number in self.rotated:
                lines.append(f"--- {self.name} continues ---")
            fields = vars(entry) | {"at": _at(entry.at).strftime(self.style.clock)}
            lines.append(self.style.line.format(**fields))
        return "\n".join(lines) + "\n"

    def solve(self) -> str:
        taken = self._taken(self.keep)
        times = [entry.at for entry in taken]
        gaps = [b - a for a, b in pairwise(times)]
        if self.kind == "total":
            return str(sum(entry.ms for entry in taken))
        if self.kind == "gap":
            return str(max(gaps))
        if self.kind == "burst":
            sums = [0, *accumulate(entry.ms for entry in taken)]
            ends = (bisect_left(times, time + self.width) for time in times)
            return str(max(sums[end] - sums[n] for n, end in enumerate(ends)))
        best = length = 0
        for gap in gaps:
            length = length + gap if gap <= self.width else 0
            best = max(best, length)
        return str(best)

    def is_sound(self) -> bool:
        count = len(self._taken(self.keep))
        return count > 3 and all(
            len(self._taken(tuple(k for k in self.keep if k != one))) > count for one in self.keep
        )

    def _taken(self, keep: tuple[tuple[str, str], ...]) -> list[Entry]:
        start, end = self.window
        inside = [entry for entry in self.entries if start <= entry.at < end]
        return [e for e in inside if all(getattr(e, field) == value for field, value in keep)]

    def program(self) -> str:
        start, end = (_at(second).strftime(_CLOCK) for second in self.window)
        return _READER.format(
            file=self.file, pattern=self.style.pattern, clock=self.style.clock, keep=self.keep,
            start=start, end=end, width=self.width,
        ) + _FINISH[self.kind]  # fmt: skip


_READER = """\
import re
from datetime import datetime
def at(text, clock="%Y-%m-%d %H:%M:%S"):
    return int((datetime.strptime(text, clock) - datetime(1970, 1, 1)).total_seconds())
width, taken = {width}, []
for line in open({file!r}):
    match = re.fullmatch({pattern!r}, line.strip())
    if match and all(match[field] == value for field, value in {keep!r}):
        time = at(match["at"], {clock!r})
        if at({start!r}) <= time < at({end!r}):
            taken.append((time, int(match["ms"])))
"""
_FINISH = {
    "total": "print(sum(ms for time, ms in taken))",
    "gap": "print(max(b[0] - a[0] for a, b in zip(taken, taken[1:])))",
    "burst": """\
best = total = first = 0
for time, ms in taken:
    total += ms
    while taken[first][0] <= time - width:
        total -= taken[first][1]
        first += 1
    best = max(best, total)
print(best)""",
    "session": """\
sessions = [[taken[0][0]]]
for time, ms in taken[1:]:
    if time - sessions[-1][-1] > width:
        sessions.append([])
    sessions[-1].append(time)
print(max(s[-1] - s[0] for s in sessions))""",
}


def _at(second: int) -> datetime:
    return _START + timedelta(seconds=second)


def sample_log(rng: np.random.Generator, difficulty: float, hidden: bool) -> LogPuzzle:
    """No condition but the window at difficulty 0, at most three."""
    count = scaled(rng, difficulty, 40, MAX_LINES)
    name, *people = sample_names(rng, 5, 2)
    services = people[:2]
    step = draw_int(rng, 20, 200)
    time, entries = draw_int(rng, 0, 360 * 86400), []
    begin = time
    columns = zip(
        [int(step * wait) for wait in rng.exponential(size=count).tolist()],
        picks(rng, LEVELS, count),
        picks(rng, services, count),
        picks(rng, people[2:], count),
        draw_ints(rng, 1, 999, count),
        strict=True,
    )
    for wait, level, service, user, ms in columns:
        time += wait
        entries.append(Entry(time, level, service, user, ms))
    known = {"level": LEVELS, "service": services, "user": people[2:]}
    fields = list(known)[: min(3, int(difficulty))]
    share = (time - begin) // 10
    return LogPuzzle(
        hidden=hidden,
        name=name,
        entries=tuple(entries),
        style=pick(rng, STYLES[1:]) if hidden else STYLES[0],
        rotated=tuple(draw_ints(rng, 1, count - 1, 1 + count // 50)) if hidden else (),
        kind=pick(rng, get_args(Kind)),
        keep=tuple((field, pick(rng, known[field])) for field in fields),
        window=(begin + draw_int(rng, 1, 2 * share), time - draw_int(rng, 0, share)),
        width=step * draw_int(rng, 2, 5) * 2 ** len(fields),
    )
