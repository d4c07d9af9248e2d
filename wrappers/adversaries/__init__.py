"""A second player in the motors, in the sensors, or pushing.

Read `base.py`, then one of them; `adversary_game.py` is both players' game.
"""
