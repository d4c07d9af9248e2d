"""The page of the table: made from its numbers, which are reduced from a run, and what it says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.benchmarks.zero_shot.__main__ import FOLDER, SPANS, WAYS, made
from zerogym.benchmarks.zero_shot.ablation import PLACES, VARIANTS
from zerogym.benchmarks.zero_shot.data import data_of
from zerogym.benchmarks.zero_shot.longer import LONGER, TIMES
from zerogym.benchmarks.zero_shot.page import page
from zerogym.benchmarks.zero_shot.reasons import gains, kept
from zerogym.benchmarks.zero_shot.reduced import add_seeds, horizons_of, reduce_run
from zerogym.benchmarks.zero_shot.runner import Plan, identity
from zerogym.benchmarks.zero_shot.spans import (
    AGENTS_SHOWN,
    kept_share,
    meant_task,
    shares_of,
)
from zerogym.benchmarks.zero_shot.suite import (
    ENTRIES,
    GREEDY,
    ORACLE,
    ZeroShotEntry,
    ZeroShotWorld,
)
from zerogym.benchmarks.zero_shot.table import shown
from zerogym.benchmarks.zero_shot.words import compare, in_words
from zerogym.envs.control.core.tasks import Task

DOCS = Path(__file__).parents[3] / "docs"
SMALL = ZeroShotWorld("open", "zerogym/OpenGrid-v0", {"layout": "open_3"}, steps=600)
AGENT = ZeroShotEntry("A", {"part": "psm"}, 1)
PLAN = Plan((SMALL,), (AGENT,), (GREEDY, ORACLE), seeds=2)


def record(column: Any, seed: int, *scores: float | None) -> dict[str, Any]:
    values = dict(zip("xyz", scores, strict=False))
    timing = {"seconds": 3.0, "cpu_s": 1.0 + 2 * seed}
    return {**identity(SMALL, column, seed), "scores": {"goal": values}, **timing}


def test_the_committed_page_is_made_from_the_committed_numbers() -> None:
    for path, text in made(DOCS).items():
        assert path.read_text("utf-8") == text, path


def test_a_run_is_reduced_to_means_over_tasks_and_cells_of_other_settings_are_left_out() -> None:
    other = ZeroShotEntry("A", {"part": "psm"}, 2)
    records = [
        record(AGENT, 0, 0.2, 0.4),
        record(AGENT, 1, 0.5, None),
        record(other, 1, 9.0, 9.0),
        record(GREEDY, 0, 0.3, 0.3),
    ]
    found = reduce_run(PLAN, records)
    goal = next(row for row in found["rows"] if row["kind"] == "goal")
    assert goal["scores"] == {"A": {"0": 0.3, "1": 0.5}, GREEDY: {"0": 0.3}}
    assert goal["horizon"] == 1 and found["costs"] == {"A": {"wall_s": 3.0, "cpu_s": 2.0}}
    with pytest.raises(ValueError, match="no cell"):
        reduce_run(PLAN, [record(other, 1, 9.0)])


def test_seeds_and_worlds_are_added_and_what_is_there_stays() -> None:
    session = {"kind": "session", "date": "2026-11-28T01:00", "commit": "c", "processor": "p"}
    first = [session, {**session, "date": "2026-11-28T02:00"}]
    table = reduce_run(PLAN, [*first, record(AGENT, 0, 0.2), record(GREEDY, 0, 0.3)])
    later = {**session, "commit": "d"}
    found = add_seeds(table, PLAN, [later, record(AGENT, 0, 0.9), record(AGENT, 12, 0.6)])
    goal = next(row for row in found["rows"] if row["kind"] == "goal")
    assert goal["scores"] == {GREEDY: {"0": 0.3}, "A": {"0": 0.2, "12": 0.6}}
    assert found["costs"] == table["costs"] == {"A": {"wall_s": 3.0, "cpu_s": 1.0}}
    assert [one["commit"] for one in found["sessions"]] == ["c", "d"]
    assert "| *seeds* | 1 to 2 |" in page(found)
    assert "*2026-11-28, one core of p, commit c; 2026-11-28, one core of p, commit d: `" in page(
        found
    )
    other = ZeroShotWorld("other", "zerogym/OpenGrid-v0", {"layout": "open_3"}, steps=700)
    cell = {**record(AGENT, 1, 0.7), **identity(other, AGENT, 1)}
    wider = add_seeds(found, PLAN._replace(worlds=(SMALL, other)), [cell])
    scores = {(row["world"], row["kind"]): row["scores"] for row in wider["rows"]}
    assert scores["open", "goal"] == goal["scores"]
    assert scores["other", "goal"] == {"A": {"1": 0.7}}


def test_cells_of_other_settings_are_not_added() -> None:
    table = reduce_run(PLAN, [record(AGENT, 0, 0.2)])
    longer = ZeroShotEntry("A", {"part": "psm"}, 2)
    with pytest.raises(ValueError, match="other settings of A: run all of it again"):
        add_seeds(table, PLAN._replace(entries=(longer,)), [record(longer, 1, 0.6)])
    moved = ZeroShotWorld("open", SMALL.env, SMALL.kwargs, steps=601)
    cell = {**record(AGENT, 1, 0.6), **identity(moved, AGENT, 1)}
    with pytest.raises(ValueError, match="other settings of open: run all of it again"):
        add_seeds(table, PLAN._replace(worlds=(moved,)), [cell])
    with pytest.raises(ValueError, match="no cell"):
        add_seeds(table, PLAN, [])
    # Settings of an agent without a cell were only planned.
    planned = ZeroShotEntry("B", {"part": "psm"}, 1)
    both = reduce_run(PLAN._replace(entries=(AGENT, planned)), [record(AGENT, 0, 0.2)])
    other = ZeroShotEntry("B", {"part": "psm"}, 2)
    more = add_seeds(both, PLAN._replace(entries=(AGENT, other)), [record(other, 1, 0.6)])
    goal = next(row for row in more["rows"] if row["kind"] == "goal")
    assert goal["scores"] == {"A": {"0": 0.2}, "B": {"1": 0.6}}


def test_horizons_are_those_of_the_world_without_walls() -> None:
    horizons = horizons_of(SMALL)
    assert set(horizons["goal"]) == {1} and max(horizons["goal penalty"]) > 1


def row(kind: str, horizon: float | None, **scores: list[float]) -> dict[str, Any]:
    by_seed = {
        name: {str(seed): value for seed, value in enumerate(values)}
        for name, values in {GREEDY: [0.5, 0.5], ORACLE: [1.0], **scores}.items()
    }
    return {"world": "open", "kind": kind, "horizon": horizon, "tasks": 2, "scores": by_seed}


def test_an_agent_is_above_where_its_whole_interval_is() -> None:
    assert compare(row("goal", 1, A=[0.6, 0.7]), "A") == 1
    assert compare(row("goal", 1, A=[0.504, 0.504]), "A") == 0
    assert compare(row("goal", 1, A=[0.4, 0.7]), "A") == 0
    assert compare(row("goal", 1, A=[0.3, 0.4]), "A") == -1
    assert compare(row("goal", 1, A=[0.9]), "A") is None


def test_words_and_bold_follow_the_numbers() -> None:
    rows = [row("goal", 1, FB=[0.2, 0.3]), row("smooth", 4, FB=[0.7, 0.8])]
    table = {
        "columns": [GREEDY, ORACLE, "FB"],
        "rivals": [GREEDY, ORACLE],
        "rows": rows,
        "costs": {"FB": {"wall_s": 2.0, "cpu_s": 1.0}},
        "sessions": [{"date": "2026-11-28", "commit": "c", "processor": "p"}],
    }
    rows[0]["scores"]["A"] = {"0": 0.4}  # one seed
    words = in_words({**table, "columns": [*table["columns"], "A"]})
    assert "| A |" not in words
    assert "| FB | 1: smooth in open | 0 | 1 |" in words
    horizon = "1 of 2 cells with exact scores have a median effective horizon above 1: open"
    assert f"{horizon} (smooth)." in words
    line = {"straight line": [0.4, 0.4]}
    for scores, above in (([0.2, 0.3], False), ([0.5, 0.6], True)):
        played = row("goal, played", None, FB=scores, **line)
        words = in_words({**table, "rows": [*rows, played]})
        assert f"{horizon} (smooth)." in words
        assert ("In open (goal, played), above *straight line*: FB.\n" in words) == above
        assert ("No agent is above *straight line* in open (goal, played)." in words) != above
    assert f"is above {GREEDY} in 1 of 1 of them" in words
    for scores, above in (([0.2, 0.3], False), ([0.5, 0.6], True)):
        counted = row("smooth, expert data", 4, FB=scores, **{"plan on counts": [0.4, 0.4]})
        words = in_words({**table, "rows": [*rows, counted]})
        assert "1 of 2 cells" in words and "| FB | 1: smooth in open | 0 | 1 |" in words
        assert ("In open (smooth, expert data), above *plan on counts*: FB.\n" in words) == above
        assert ("No agent is above *plan on counts* in open" in words) != above
        assert "Experts go" in page({**table, "rows": [*rows, counted]})
    text = page(table)
    assert "Experts go" not in text
    assert f"| {GREEDY} | **0.50** | 0.50 |" in text and f"| {ORACLE} | 1.00 | 1.00 |" in text
    assert "| FB | **0.75** (0.70…0.80) |" in text and "| FB | 0.25 (0.20…0.30) |" in text
    rows[1] = row("smooth", 4, FB=[0.1, 0.2])
    assert f"is above {GREEDY} in 0 of 1 of them.\nWhere it is not" in in_words(table)


def test_the_best_agents_of_a_kind_are_listed_with_the_rivals() -> None:
    names = ["FB", *"ABCDEF"]
    rows = [
        row("goal", 1, **{name: [n / 10, n / 10] for n, name in enumerate(names)}),
        {**row("goal", 1, FB=[0.9, 0.9], A=[0.8, 0.8]), "world": "other"},  # not of the others
        row("smooth", 4, **{name: [n / 10, n / 10] for n, name in enumerate(names)}),
    ]
    table = {"columns": [GREEDY, ORACLE, *names], "rivals": [GREEDY, ORACLE], "rows": rows}
    words = in_words(table)
    assert f"| goal | FB 0.45, A 0.45 | {GREEDY} 0.50 |" in words
    assert f"| smooth | F 0.60, E 0.50, D 0.40, C 0.30, B 0.20 | {GREEDY} 0.50 |" in words


def test_the_last_bits_do_not_decide_a_digit() -> None:
    assert shown(0.285 - 1e-13) == shown(0.285 + 1e-13) and str(shown(-1e-12)) == "0.0"


def test_ways_are_steps_on_the_map_and_the_oracle_comes_to_its_reward() -> None:
    for record in json.loads((DOCS / FOLDER / WAYS).read_text("utf-8")):
        cells = [tuple(cell) for cell in record["cells"]]
        starts = {tuple(way[0]) for way in record["ways"].values()}
        assert len(starts) == 1
        for way in record["ways"].values():
            assert {tuple(cell) for cell in way} <= set(cells)
            assert (np.abs(np.diff(way, axis=0)).sum(axis=1) == 1).all()
        last = record["ways"][ORACLE][-1]
        assert record["rewards"][cells.index(tuple(last))] == max(record["rewards"]) > 0


def test_a_variant_differs_from_the_agent_of_the_table_in_its_change_only() -> None:
    data = data_of(SMALL, 0)
    start = Start(SMALL.env, data, 5, True, 10, 3)
    base, softer = (AGENTS.make(entry.agent)(start).agent.config for entry in VARIANTS[:2])
    plain = AGENTS.make({"part": "fb"})(start).agent.config
    assert base == plain and softer.temperature == 100.0 > base.temperature == 10.0
    one, other = (json.loads(config.to_json()) for config in (base, softer))
    assert [name for name in one if one[name] != other[name]] == ["temperature"]
    assert [world.name for world in PLACES] == ["slippery rooms", "pits"]


def test_a_softer_policy_is_softer_than_that_of_the_table_and_a_sharper_one_sharper() -> None:
    data = data_of(SMALL, 0)
    start, values = Start(SMALL.env, data, 5, True, 10, 3), torch.tensor([[0.0, 20.0]])
    best = {}
    for entry in VARIANTS:
        agent = AGENTS.make(entry.agent)(start).agent
        best[entry.name] = float(agent.target_policy(values)[0, 1])
    base = best[VARIANTS[0].name]
    assert all(best[name] < base for name in best if "softer" in name)
    assert all(best[name] > base for name in best if "sharper" in name)
    assert len({round(value, 6) for value in best.values()}) == 3


def test_more_updates_are_compared_on_the_seeds_that_both_have() -> None:
    table = {"rows": [row("goal", 1, FB=[0.2, 0.4, 0.9], CRL=[0.5]), row("smooth", 4, FB=[0.1])]}
    longer = {
        "rows": [row("goal", 1, FB=[0.6, 0.8], CRL=[0.5, 0.0])],
        "columns": ["FB", "CRL", "QRL"],
    }
    text = gains(table, longer)
    assert "| agent | open: goal |" in text and "same 1 to 2 seeds" in text
    assert "| FB | 0.30 → 0.70 |" in text and "| CRL | 0.50 → 0.50 |" in text and "QRL" not in text
    assert "in some column: FB." in text and "Losses of 0.05 or more: none." in text
    worse = gains(table, {"rows": [row("goal", 1, FB=[0.2, 0.3])], "columns": ["FB"]})
    assert "in some column: none." in worse and "Losses of 0.05 or more: FB." in worse


def test_agents_with_more_updates_differ_in_nothing_else() -> None:
    before = {entry.name: entry for entry in ENTRIES}
    for entry in LONGER:
        own = before[entry.name]
        assert entry.updates == TIMES * own.updates
        if own.agent["part"] == "fre":
            before_it, after_it = (vars(AGENTS.make(one.agent)) for one in (own, entry))
            assert after_it == {**before_it, "warmup": TIMES * before_it["warmup"]}
        else:
            assert entry.agent == own.agent


def test_what_the_words_say_of_b_is_in_the_numbers() -> None:
    rooms, pits = json.loads((DOCS / FOLDER / SPANS).read_text("utf-8"))["worlds"]
    assert (rooms["world"], pits["world"]) == ("four rooms", "pits")
    for numbers in rooms["shares"]["FB"].values():
        assert numbers["kept"] == numbers["optimum"] == 1.0 > numbers["score"]
    assert pits["shares"]["FB"]["smooth"]["optimum"] > 0.95


class Reads:
    """A model with features: one number for each observation."""

    def features(self, before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
        return after[:, :1]


class Decodes:
    """A model that decodes the same number everywhere."""

    def infer(self, task: Task) -> torch.Tensor:
        return torch.zeros(2)

    def decode(self, z: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        return torch.full(states.shape[:2], 0.5)


def test_the_meant_reward_is_the_least_squares_fit_or_what_is_decoded() -> None:
    after = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.float32)
    data = Dataset(after, np.zeros(4, dtype=np.int64), after)
    plane = Task("plane", "", lambda obs, action, after: after @ np.array([2.0, 1.0]))
    fitted, decoded = (meant_task(model, plane, data) for model in (Reads(), Decodes()))
    assert data.rewards(fitted) == pytest.approx([0.5, 2.5, 0.5, 2.5])
    assert kept_share(plane, fitted, data) == pytest.approx(4 / 5)  # variances 4 and 1, over four
    assert data.rewards(decoded) == pytest.approx([1.5] * 4)  # half of the greatest
    assert kept_share(plane, decoded, data) == 0.0
    with pytest.raises(TypeError, match="neither features nor a decoder"):
        meant_task(object(), plane, data)


def test_agents_of_each_sort_have_numbers_for_each_kind_of_reward() -> None:
    sorts = ("FB", "PLDM", "HILP", "FRE")
    assert set(sorts) < set(AGENTS_SHOWN) <= {entry.name for entry in ENTRIES}
    shares = shares_of(SMALL, 0, updates=1, agents=sorts)
    assert tuple(shares) == sorts
    for agent, by_kind in shares.items():
        assert set(by_kind) == {"multi goal", "goal penalty", "smooth"}, agent
        for numbers in by_kind.values():
            assert 0 <= numbers["kept"] <= 1 >= numbers["optimum"], agent
    # Nine cells are fewer than the dimensions of B: nothing of a reward is lost.
    assert shares["FB"]["smooth"]["kept"] == shares["FB"]["smooth"]["optimum"] == 1.0
    text = kept([{"world": "open", "shares": shares}])
    assert f"| FB | 1.00 / 1.00 / {shares['FB']['multi goal']['score']:.2f} |" in text
