"""Puzzles of moves: mazes, boxes, towers, tiles, jugs, river crossings and a cube.

Read `hanoi.py` first.
"""
