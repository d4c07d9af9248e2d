"""`bench games`: five games, players of every kind, one table.

Read `suite.py` and `runner.py`.
"""
