"""Every game of OpenSpiel through our views, and chess with its rules.

Read `open_spiel.py`, `state.py`, `rules.py`.
"""
