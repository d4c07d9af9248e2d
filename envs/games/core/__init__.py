"""What a game is, whatever is played: rules, seats, strategies as tables, trees, pictures.

Read `game.py`, `seat_views.py`, `players.py`; then `tree.py` and `tabular_policy.py`.
"""
