"""Moves a second of games in each of their forms, beside other libraries.

Read `moves.py`.
"""
