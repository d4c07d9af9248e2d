"""TRL's own trainer on a task of ours: the adapter is all that is between them."""

import json
import runpy
from pathlib import Path

import pytest

pytest.importorskip("trl")

from zerogym.adapters.trl import environment_factory

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.proof
@pytest.mark.filterwarnings("default")
def test_trl_reaches_the_accuracy_of_our_own_trainer(capfd: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples/text/trl_grpo.py"), run_name="__main__")
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith('{"before"')]
    after = json.loads(lines[-1])["after"]

    curve = json.loads((ROOT / "docs/llm_curves/calculation.json").read_text())
    config = curve["settings"]["config"]
    settings = ("steps", "prompts_per_step", "group_size", "lr", "preset", "env_kwargs")
    assert [config[name] for name in settings] == [
        60, 8, 8, 1e-4, "dr_grpo", {"difficulty": [0.5, 1.0]},
    ]  # fmt: skip
    ends = [cell["scores"]["dr_grpo"]["60"]["return"] for cell in curve["cells"]]
    ours, theirs = sum(ends) / len(ends), sum(after) / len(after)

    # Each is a share of right answers to problems of the held-out side: 300 of TRL's one run, and
    # 300 of each of our three. The tiny model begins at 0.66.
    problems = config["eval_episodes"] * len(ends)
    variance = ours * (1 - ours) / problems + theirs * (1 - theirs) / len(after)
    assert abs(theirs - ours) < 1.96 * variance**0.5
    assert theirs > 0.8


@pytest.mark.proof
@pytest.mark.filterwarnings("default")
def test_trl_reads_a_tool_from_the_environment() -> None:
    from transformers.utils import get_json_schema

    schema = get_json_schema(environment_factory("SQL")().reply)["function"]
    assert schema["name"] == "reply"
    assert schema["parameters"]["required"] == ["text"]
    assert schema["parameters"]["properties"]["text"]["type"] == "string"
