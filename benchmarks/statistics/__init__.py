"""Statistics over training runs: a matrix of scores, aggregates, intervals and tests.

A run is a training from a seed of its own; episodes are averaged before they come here (for those
of one agent read `results/estimates.py`). Read `run_scores.py`, `bootstrap.py`, `adastop.py`.
"""
