"""`bench talk`: welfare, roles and success in the games of talk, and not only who beats whom.

Read `suite.py`, `episodes.py`, `runner.py`, then `scores.py`.
"""
