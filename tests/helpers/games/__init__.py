"""Positions, players and matches for the tests of games.

Read `positions.py`.
"""
