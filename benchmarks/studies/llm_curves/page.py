"""The page of learning curves of the tiny model: a table, the picture, and what to know of both."""

from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.benchmarks.studies.llm_curves.picture import curves
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED
from zerogym.benchmarks.studies.zero_shot.table import lines, said

TITLE = "What GRPO adds to the tiny model"
HEAD = f"""# {TITLE}

<!-- Made by `python -m zerogym.benchmarks.studies.llm_curves.run NAME --out docs/llm_curves`. -->

"""
ABOUT = f"""\
GRPO without its two divisions (`dr_grpo`), 8 replies to each of 8 problems a step (16 of Countdown
and SQL), on the model of a million parameters that ships with the package (in Search and Functions
on one that starts from nothing). Returns are means of greedy replies in 300 episodes (200 of Search
and Functions, 1,000 of poker and Countdown) that it does not learn from, the same before and after;
then means over training runs, with the range of a 95 % bootstrap over runs (of three: from the
least to the largest). No run was left out, and their seeds, from {FIRST_SEED}, were not those that
settings were looked at with. 1 is the oracle, 2 in Search; but against the scripted player of poker
random play has a return of -0.21, the best reply 0.17 (exactly, over both seats). Of the model that
plays poker against itself the return is what a perfect adversary leaves it in the mean of both
seats: 0 at an equilibrium, -0.46 for random play. It is computed from 200 replies drawn wherever
the model may be to move, those without a legal move left out."""
NOTES = """\
The model learns where some of its samples are right: sums, Countdown, SQL, and poker against a
scripted player, where it comes near to a best reply. (Poker has but six deals, so that there only
the draws are new; what is above 0.17 is the luck of 1,000 games. The scripted player was chosen
with an earlier warm start and seed 0, for the room that it leaves.)

Playing itself in both seats, the model gains nothing that is clear of the noise: it starts much
nearer to an equilibrium than random play, each self learns what beats the present other, and
nothing holds it near the mean of all of them. (An earlier warm start of the same recipe began at
-0.45 and rose to -0.30 with the same settings: the start decides.)

Countdown is the bare line `zerogym train llm --env zerogym/Countdown-v0 --model tiny --preset
dr_grpo`, a few minutes of a laptop's core, evaluated more often. Many steps at a
small rate make it rise: with an earlier warm start, 100 steps at three times the rate (seed 1, the
same problems) made likely replies more likely, and greedy ones hardly better, 0.37 to 0.41.

SQL poses a total, an average, the least or the largest value of a column: a query, and `submit`.
It starts after 560 more supervised steps on oracle traces, a number chosen with an earlier warm
start (which had no question with a clause right without them, and 0.95 after 600): they end where
the model knows the form and often takes another of the sixteen columns. Today's model learns the
columns almost wholly; that earlier one rose from 0.27 to 0.41 only, with the same settings.

Search and Functions start from nothing, by supervised steps on traces of the oracle of which three
in five lack the last call and end in `unknown`; the loss counts prompts, too, from which the model
learns to copy names. Greedy replies then open no page and call no function. GRPO finds the call
that most traces lack within fifteen steps, in all ten runs. It does not make the copies better in
sixty: in Search the page is the right one nearly always (a return of 1) and the answer seldom, in
Functions less than half of the answers are right, as where the samples of the warm start call.
Traces that are all whole leave no such habit to unlearn, and GRPO added nothing to them in a run of
150 steps."""


def page(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page in Markdown; a record is the file of a task."""
    origins = "".join(_where(record) for record in records)
    picture = "![Learning curves](llm_curves.svg)"
    return f"{HEAD}{ABOUT}\n\n{table(records)}\n{picture}\n\n{NOTES}\n\n{origins}"


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Return a row for each task: mean return at first and last, and the least gain of a run."""
    rows = ["| | steps | warm start | after | least gain of a run |", "|---|---:|---:|---:|---:|"]
    for record in records:
        [line] = lines(record)
        points = curves(record)
        first, last = min(points), max(points)
        gains = [after - before for before, after in zip(points[first], points[last], strict=True)]
        before, after = (said(line.means[str(step)]) for step in (first, last))
        title = record["settings"]["title"]
        rows.append(f"| {title} | {last} | {before} | {after} | {min(gains):+.2f} |")
    return "".join(f"{row}\n" for row in rows)


def _where(record: Mapping[str, Any]) -> str:
    where, name = record["provenance"], record["proof"]
    return (
        f"- {where['date'][:10]}, one thread of {where['processor']} beside other work, "
        f"{record['seeds']} seeds, commit {where['commit']}: "
        f"`python -m zerogym.benchmarks.studies.llm_curves.run {name}`; "
        f"[numbers](llm_curves/{name}.json)\n"
    )
