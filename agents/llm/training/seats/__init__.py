"""The seats of a game in training that the learner does not have.

Read `seating.py`, then `earlier_players.py`.
"""
