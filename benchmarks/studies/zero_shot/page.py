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


def page(found: Iterable[tuple[Proof, Mapping[str, Any]]]) -> str:
    """Return a page with a section for each proof.

    Args:
        found: Proofs with their records, in order.
    """
    return HEAD + "".join(_section(proof, record) for proof, record in found)


def _section(proof: Proof, record: Mapping[str, Any]) -> str:
    where = record["provenance"]
    return (
        f"\n## {proof.title}\n\n{proof.about}\n\n{in_markdown(record)}\n{proof.notes}\n\n"
        f"*{where['date'][:10]}, one core of {where['processor']}, {record['seeds']} seeds, commit "
        f"{where['commit']}: `python -m zerogym.benchmarks.studies.zero_shot {proof.name}`; "
        f"[the numbers](zero_shot/{proof.name}.json).*\n"
    )
