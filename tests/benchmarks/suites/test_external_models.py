"""Language models that join a suite by name, and what their servers charge."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.llm.model_server import Answer, Request, message, serving

pytest.importorskip("httpx2")

from zerogym.benchmarks.results.results_file import read_records
from zerogym.benchmarks.suites.external_models import EPISODES, usage_by_agent, with_external_models
from zerogym.benchmarks.suites.runner import only, run_cells
from zerogym.benchmarks.suites.scores import tabulate
from zerogym.benchmarks.suites.suites import QUICK
from zerogym.errors import ModelNotFound

SUMS, NUMBERS = "Random calculation", "Countdown"


def test_an_external_model_is_evaluated_where_language_models_are():
    suite = with_external_models(QUICK, ["http://h/v1#org/model?timeout=3", "tiny"])
    added = [agent.name for agent in suite.agents[len(QUICK.agents) :]]
    assert added == ["http://h/v1#org/model?timeout=3"]  # tiny is evaluated there already
    assert suite.agents[-1].title == "model"
    for world, before in zip(suite.worlds, QUICK.worlds, strict=True):
        assert (added[0] in world.agents) == ("tiny" in before.agents)
        if added[0] in world.agents:
            assert world.episodes_for(added[0]) == min(EPISODES, before.episodes)
    with pytest.raises(ModelNotFound, match="name a model"):
        with_external_models(QUICK, ["http://h/v1"])


def test_a_run_goes_on_where_the_server_went_down(tmp_path: Path):
    def sums(request: Request) -> Answer:
        prompts = request.body["messages"][-1]["content"]
        if "Calculate" not in prompts:
            return Answer("", 500)
        expression = prompts.partition("Calculate ")[2].partition(".")[0]
        return message(f"<answer>{eval(expression)}</answer>", usage=(100, 10))  # of our own making

    with serving(sums) as server:
        settings = "backoff=0.001&retries=1&prompt_price=1&reply_price=5"
        name = f"{server.address}#m?{settings}"
        suite = only(with_external_models(QUICK, [name]), [SUMS, NUMBERS, name])
        suite = replace(
            suite, worlds=tuple(replace(w, limits={name: 4}, episodes=4) for w in suite.worlds)
        )
        path = run_cells(suite, tmp_path, processes=False)
        records = [r for r in read_records(path) if r.get("contender") == name]
        assert [(r["kind"], r["world"]) for r in records] == [("cell", SUMS), ("error", NUMBERS)]
        assert records[1]["message"].startswith("ServerDown: the server ")
        assert records[0]["cost"]["requests"] == 4
        usage = usage_by_agent(records)[name]
        assert (usage.prompt_tokens, usage.reply_tokens) == (400, 40)
        assert usage.price == pytest.approx((400 * 1 + 40 * 5) / 1e6)

        prompts = len(server.requests)
        server.script = lambda request: message("<answer>no</answer>")
        run_cells(suite, tmp_path, processes=False)
        # The finished cell is not charged twice; requests that were given up may come late.
        again = [request.body["messages"][-1]["content"] for request in server.requests[prompts:]]
        assert len(again) >= 4 and not any("Calculate" in text for text in again)
        records = [r for r in read_records(path) if r.get("contender") == name]
        assert [r["cost"]["requests"] for r in records if r["kind"] == "cell"] == [4, 4]
        table = tabulate(suite, list(read_records(path)))
        assert table.cells[SUMS, name].estimate.value == pytest.approx(1.0)
        assert table.cells[NUMBERS, name].error == ""
        json.dumps(usage_by_agent(read_records(path))[name].costs())
