"""From records of episodes to the table of normalised scores.

A cell's score is the IQM over the world's variants (goals, opponents) of their normalised mean
returns; an agent's total is the IQM over its worlds. Agents differ in their worlds, so totals are
only comparable where the worlds are the same; the table shows how many they were.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from zerogym.benchmarks.results.estimates import (
    Estimate,
    Floats,
    Returns,
    aggregate,
    interquartile_mean,
    score_draws,
)
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import EXACT, Agent, Suite, World
from zerogym.benchmarks.suites.cells import key

BOOTSTRAP_SEED = 0
UNSAFE = "unsafe-local"  # of `Episode.sandbox`
DAGGER = "†"  # beside the score of an agent that was trained in other worlds only


def short(env_id: str) -> str:
    """`FourRooms` of `zerogym/FourRooms-v0`."""
    return env_id.rpartition("/")[2].partition("-v")[0]


@dataclass(frozen=True)
class Score:
    """One cell of the table.

    Attributes:
        estimate: Normalised score; None where the scale or the cell is missing.
        raw: Mean return over all episodes.
        episodes: How many.
        exact: Computed from the whole game tree, not sampled.
        measured: False for the two agents that define the scale.
        seconds: Wall-clock time, training included where the cell trained.
        variants: Normalised score of each variant.
        error: Why there is no score.
        missing: The error is only an extra (or a model) that is not installed.
        unsafe: Code of a model ran without a sandbox, at the user's request.
    """

    estimate: Estimate | None = None
    raw: float = np.nan
    episodes: int = 0
    exact: bool = False
    measured: bool = True
    seconds: float = 0.0
    variants: tuple[tuple[str, float], ...] = ()
    error: str = ""
    missing: bool = False
    unsafe: bool = False

    @property
    def has_scale(self) -> bool:
        """True if there is a score: the oracle is above random by more than nothing."""
        return self.estimate is not None and bool(np.isfinite(self.estimate.value))

    @property
    def over(self) -> str:
        """The things that the interval is over; empty where there is no score."""
        if not self.has_scale:
            return ""
        if self.exact:
            return "nothing: the value is exact"
        if not self.measured:
            return "nothing: an end of the scale"
        count = len(self.variants)
        return f"{self.episodes} episodes" + (f" of {count} tasks" if count > 1 else "")

    @property
    def status(self) -> str:
        """`scored`, `missing` (an extra or a model), `failed` or `no scale`."""
        if self.error:
            return "missing" if self.missing else "failed"
        return "scored" if self.has_scale else "no scale"

    @property
    def facts(self) -> str:
        """A line beside the score: mean return, episodes, time, variants."""
        if not self.episodes:  # a mean of cells
            return ""
        facts = f"mean return {self.raw:.3g}, {self.episodes} episodes"
        facts += f", {self.seconds:.0f} s" if self.seconds else ""
        if len(self.variants) > 1:
            facts += ". " + ", ".join(f"{name} {part:.2f}" for name, part in self.variants)
        return facts


@dataclass(frozen=True)
class Total:
    """The score of an agent over its worlds, and their number."""

    estimate: Estimate
    worlds: int


@dataclass(frozen=True)
class Table:
    """All cells and totals of one run."""

    suite: Suite
    cells: dict[tuple[str, str], Score] = field(default_factory=dict)
    totals: dict[str, Total] = field(default_factory=dict)

    @property
    def shown(self) -> list[Agent]:
        """The agents that have a cell, but for those that cannot play here."""
        names = {agent for _, agent in self.cells} - self.absent.keys()
        return [agent for agent in self.suite.agents if agent.name in names]

    def is_transfer(self, world: World, agent: Agent) -> bool:
        """Return whether an agent that learns in few worlds did not learn in this one."""
        return bool(agent.trained_in) and world.env_id not in agent.trained_in

    @property
    def transfer_note(self) -> str:
        """The meaning of the dagger beside a score; empty where the table has none."""
        learners = [agent for agent in self.shown if agent.trained_in]
        notes = [
            f"{agent.title} was trained in {' and '.join(map(short, agent.trained_in))} only"
            for agent in learners
            if any(self.is_transfer(w, agent) for w in self.suite.worlds)
        ]
        return f"{DAGGER} not trained here: {'; '.join(notes)}." if notes else ""

    @property
    def absent(self) -> dict[str, str]:
        """The agents that have missing cells only, with what is not installed or not prepared."""
        found: dict[str, list[Score]] = {}
        for (_, agent), score in self.cells.items():
            found.setdefault(agent, []).append(score)
        return {
            agent: scores[0].error or ""
            for agent, scores in found.items()
            if all(score.missing for score in scores)
        }

    @property
    def left_out(self) -> list[str]:
        """The agents that cannot play here, each with what is not installed or not prepared."""
        titles = {agent.name: agent.title for agent in self.suite.agents}
        return [f"{titles[name]}, left out: {what}" for name, what in self.absent.items()]

    @property
    def unsafe(self) -> list[str]:
        """Worlds in which code of a model ran without a sandbox."""
        names = {world for (world, _), score in self.cells.items() if score.unsafe}
        return [world.name for world in self.suite.worlds if world.name in names]


def tabulate(suite: Suite, records: Iterable[Record]) -> Table:
    """Return the scores of all that the records hold; the last record of a cell counts."""
    latest = {r["key"]: r for r in records if r.get("kind") in ("cell", "error")}
    table = Table(suite)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    draws: dict[str, list[Floats]] = {}
    values: dict[str, list[float]] = {}
    for world in suite.worlds:
        found = {
            name: latest[key(world, name)] for name in world.agents if key(world, name) in latest
        }
        ends = [_returns(world, found.get(name)) for name in (suite.floor, suite.ceiling)]
        own_ends = dict(zip((suite.floor, suite.ceiling), ends, strict=True))
        for name, record in found.items():
            own = own_ends[name] if name in own_ends else _returns(world, record)
            score, world_draws = _score(world, record, own, ends, rng)
            unsafe = any(e.get("sandbox") == UNSAFE for e in record.get("episodes", ()))
            score = replace(score, measured=name not in own_ends, unsafe=unsafe)
            table.cells[world.name, name] = score
            if score.estimate is not None and score.has_scale:
                draws.setdefault(name, []).append(world_draws)
                values.setdefault(name, []).append(score.estimate.value)
    for name, own_values in values.items():
        table.totals[name] = Total(aggregate(own_values, draws[name]), len(own_values))
    return table


def _returns(world: World, record: Record | None) -> dict[str, Returns] | None:
    """Return the episode returns of a cell by variant; None without a finished cell."""
    if record is None or record["kind"] != "cell":
        return None
    found: dict[str, Returns] = {}
    for variant in world.variants:
        episodes = [e for e in record["episodes"] if e["variant"] == variant.name]
        if world.measure == "game_tree":  # the played ones are only there to be read
            episodes = [e for e in episodes if e["seed"] == EXACT]
        if episodes:
            found[variant.name] = Returns(
                tuple(float(e["value"]) for e in episodes),
                tuple(int(e["seed"]) for e in episodes),
                exact=world.measure == "game_tree",
            )
    return found


def _score(
    world: World,
    record: Record,
    own: dict[str, Returns] | None,
    ends: Sequence[dict[str, Returns] | None],
    rng: np.random.Generator,
) -> tuple[Score, Floats]:
    nothing = np.zeros(0)
    if own is None:
        return Score(error=record["message"], missing=bool(record.get("missing"))), nothing
    floor, ceiling = ends
    exact = world.measure == "game_tree"
    raw = float(np.mean([r.mean for r in own.values()])) if own else np.nan
    count = sum(len(r.values) for r in own.values())
    facts = {"raw": raw, "episodes": count, "exact": exact, "seconds": record["seconds"]}
    if floor is None or ceiling is None:
        return Score(**facts), nothing
    names = [name for name in own if name in floor and name in ceiling]
    scored = [score_draws(own[n], floor[n], ceiling[n], rng) for n in names]
    estimate = aggregate([value for value, _ in scored], [draw for _, draw in scored])
    kept = [draw for value, draw in scored if np.isfinite(value)]
    world_draws = interquartile_mean(np.stack(kept), axis=0) if kept else nothing
    variants = tuple((n, value) for n, (value, _) in zip(names, scored, strict=True))
    return Score(estimate, variants=variants, **facts), np.asarray(world_draws)
