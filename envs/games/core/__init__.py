"""The common part of all games: rules, seats, strategies as tables, trees, pictures.

Read `game.py`, `seat_views.py`, `players.py`; then `tree.py` and `tabular_policy.py`.
"""
