"""Games of PettingZoo that are not ours through our text views.

Read `played.py`, `aec_game.py`.
"""
