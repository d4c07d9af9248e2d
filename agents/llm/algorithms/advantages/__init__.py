"""How good each token was: a paper a file.

Read `group_relative.py`.
"""
