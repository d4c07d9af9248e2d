"""The page of all committed proofs, from their JSON files."""

from collections.abc import Iterable, Mapping
from typing import Any

from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED, Proof
from zerogym.benchmarks.studies.zero_shot.table import in_markdown

HEAD = f"""# What zero-shot agents can do

<!-- Made by `python -m zerogym.benchmarks.studies.zero_shot NAME --out docs/zero_shot`. -->

One reward-free training run, then tasks that it never saw. In brackets the range of a 95 %
bootstrap over training seeds (of three: hardly more than from the least to the largest); beside it
the interquartile mean over tasks. Scores are of the last update of each run, and no run was left
out. Settings were chosen on other seeds than those of the tables, which begin at {FIRST_SEED}, but
where a table says otherwise.
"""

# Made by hand: the runs begin in the middle of another.
STABILITY = """
## Long runs

With constant `tau` and learning rates, long training is not stable. The preset of `PointMaze`
(maze `u`, seed 10, 40,000 updates, stopped after 16,000) had a Bellman term of 180 to 285 from
update 4,500 to 10,000. Then the rank of B, 57 of 64, fell slowly and gradients of single batches
grew. Within 100 updates, at 15,300, the rank fell to 37, and the least eigenvalue of E[BB'] from
0.24 to 0.02. This time B recovered. An earlier run of the same seed, of 16,000 updates, did not:
its Bellman term ended at 6.5e6, and goals at 0.03. Weights of F grow all the time, in length from
169 at the beginning to 611 at 15,000.

From the state at 15,000, with the same batches (all at the end of a row's updates):

|  | updates | Bellman term | rank of B | least eigenvalue |
| --- | ---: | ---: | ---: | ---: |
| constant, as before | 300 | 532, 846 on the way | 37.4 | 0.025 |
| rates x 0.07 | 350 | 983 | 55.3 | 0.223 |
| rates x 0.27, of B x 0.07 | 350 | 537 | 55.9 | 0.229 |
| rates x 0.27, gradients of at most 500 | 350 | 378 | 54.7 | 0.218 |
| tau = 0.013 | 600 | 414 | 56.3 | 0.245 |
| tau = 0.013, rates x 0.27 | 2,000 | 265 | 56.0 | 0.241 |

With five other orders of batches, 300 updates each, the largest Bellman terms were 3,174, 1,579,
5,533, 1,535 and 1,541 with constant settings, 389, 339, 399, 369 and 373 with those of the last
row; the rank of B fell to 55.4 to 56.0, and stayed at 56.1.

Smaller steps and clipping do not stop the rise, slower targets do: targets that follow F within
20 updates feed its errors back. So `tau` and the learning rates fall as 1 / update after 4,000
updates (`peak_updates`); at 15,000 they are those of the last row. Runs of up to 4,000 updates
are the same to the bit. With this course from 4,000 on, 5,000 updates had a Bellman term of 149 to
272, and the rank rose from 56.4 to 57.0. With it from the state at 15,000 on, 4,900 updates had one
of 207 to 395, but the rank still fell slowly, from 56.1 to 55.7: it does not undo the growth.

All of that is of seed 10; seeds 11 to 13 did not diverge in 12,000 to 16,000 updates with constant
settings. With those of today five seeds were trained from their beginning through 40,000 updates,
ten times the preset's (2026-11-27). From update 4,000 on:

| seed | rank of B: 4,000, least, last | Bellman term: 4,000, most, last | score: 8,000, last |
| --- | --- | --- | --- |
| 10 | 56.3, 56.3, 56.8 | 227, 288, 234 | 0.49, 0.50 |
| 11 | 52.3, 52.3, 53.4 | 273, 340, 193 | 0.42, 0.58 |
| 12 | 53.9, 53.9, 55.2 | 240, 413, 249 | 0.63, 0.67 |
| 13 | 54.8, 54.8, 56.0 | 243, 723, 221 | 0.56, 0.64 |
| 14 | 54.1, 54.1, 55.4 | 275, 280, 165 | 0.49, 0.53 |

None diverged, no checkpoint was refused as suspect, and the largest Bellman terms are those of
single batches. The score is the mean over all tasks, from 0 for random actions to 1 for the oracle;
between evaluations it moves by up to 0.1. So longer training does not ruin an agent any more, and
does not make one much better.

*2026-11-24, AMD EPYC, two cores with other load, commit 8140b41 for constant settings: `zerogym
train fb --env zerogym/PointMaze-v0 --env-kwargs '{"layout": "u"}' --seed 10 --updates 40000`, and
its checkpoints with other settings; the table: the same with `--seeds 5 --evaluate-every 8000`, 68
minutes of one core.*
"""


def page(found: Iterable[tuple[Proof, Mapping[str, Any]]]) -> str:
    """Return a page with a section for each proof.

    Args:
        found: Proofs with their records, in order.
    """
    return HEAD + "".join(_section(proof, record) for proof, record in found) + STABILITY


def _section(proof: Proof, record: Mapping[str, Any]) -> str:
    where = record["provenance"]
    return (
        f"\n## {proof.title}\n\n{proof.about}\n\n{in_markdown(record)}\n{proof.notes}\n\n"
        f"*{where['date'][:10]}, one core of {where['processor']}, {record['seeds']} seeds, commit "
        f"{where['commit']}: `python -m zerogym.benchmarks.studies.zero_shot {proof.name}`; "
        f"[the numbers](zero_shot/{proof.name}.json).*\n"
    )
