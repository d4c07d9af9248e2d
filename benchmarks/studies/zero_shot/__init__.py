"""Proofs of zero-shot agents: `python -m zerogym.benchmarks.studies.zero_shot NAME` measures one.

No task here is used in training. The committed results are in `docs/zero_shot`, one JSON file for
each proof, and in `docs/zero_shot.md`.
"""
