"""lm-evaluation-harness: the tiny model on a task of ours, scored by the task's own verifier."""
# requires: lm-eval[hf]

import json

import lm_eval

from zerogym.adapters.lm_eval import task
from zerogym.agents.llm.models.directories import TINY_DIRECTORY
from zerogym.export import rows, scorer

arguments = {"difficulty": 0.5}
found = lm_eval.simple_evaluate(
    model="hf",
    model_args={"pretrained": str(TINY_DIRECTORY), "device": "cpu"},
    tasks=[task("RandomCalculation", 40, max_tokens=48, **arguments)],
    apply_chat_template=True,
    bootstrap_iters=0,
)
samples = found["samples"]["RandomCalculation-v0"]
mean = found["results"]["RandomCalculation-v0"]["reward,none"]
score, table = scorer("RandomCalculation", **arguments), rows("RandomCalculation", 40, **arguments)
again = [score(table[one["doc_id"]], one["resps"][0][0]) for one in samples]
assert abs(mean - sum(again) / 40) < 1e-9 and mean > 0.2
print(json.dumps({"checked": f"accuracy {mean:.3f} on 40 problems, as the verifier says itself"}))
