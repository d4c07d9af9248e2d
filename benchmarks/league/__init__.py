"""Everybody against everybody: matches, ratings, and how much a trained adversary wins.

Read `match.py`, `league.py`, `standings.py`; then `exploit.py`.
"""
