"""Inspect: the tiny model on a task of ours, scored by the task's own verifier."""
# requires: inspect-ai

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import inspect_ai
from inspect_ai.model import get_model

from zerogym.adapters.inspect_ai import task
from zerogym.agents.llm.models.directories import TINY_DIRECTORY
from zerogym.export import scorer

arguments = {"difficulty": 0.5}
[log] = inspect_ai.eval(
    task("RandomCalculation", 40, **arguments),
    model=get_model("hf/tiny", model_path=str(TINY_DIRECTORY), device="cpu", do_sample=False),
    max_tokens=48,
    log_dir=tempfile.mkdtemp(),
    display="none",
)
assert log.status == "success", log.error
score = scorer("RandomCalculation", **arguments)
again = [score(one.metadata, one.output.completion) for one in log.samples]
mean = log.results.scores[0].metrics["mean"].value
assert abs(mean - sum(again) / 40) < 1e-9 and mean > 0.2
print(json.dumps({"checked": f"accuracy {mean:.3f} on 40 problems, as the verifier says itself"}))
