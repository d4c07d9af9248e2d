"""Constraint puzzles with one solution: number grids, queens, letters for digits, rows of houses.

Read `latin_square.py` first; `number_grids.py` is the base of the square ones, `boards.py` their
solver.
"""
