"""Worlds of cells: rooms, mazes, chains, an office and letters, all finite and with exact truths.

Read `four_rooms.py` first; `office.py` and `letters.py` have missions in time.
"""
