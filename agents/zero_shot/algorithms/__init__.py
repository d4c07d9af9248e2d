"""The learners: one update, discrete and continuous actions, actors near the data, many seeds.

Read `base.py`, then `fb_discrete.py` and `fb_continuous.py`.
"""
