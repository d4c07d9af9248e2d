"""Proofs of zero-shot agents: `python -m zerogym.benchmarks.studies.zero_shot NAME` measures one.

Nothing that is asked of an agent here was seen in its training. What was measured for the
repository is in `docs/zero_shot`, one JSON file for each proof, and in `docs/zero_shot.md`.
"""
