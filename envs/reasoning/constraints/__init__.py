"""Constraint puzzles with one solution: number grids, queens, letters for digits, rows of houses.

Read `latin_square.py` first; `boards.py` is what the square ones share.
"""
