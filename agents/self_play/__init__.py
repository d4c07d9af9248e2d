"""Self-play: a learner against its earlier selves, and which of them it should meet.

Read `psro.py`, `meta_solvers.py`; `mirror_descent.py` needs no population.
"""
