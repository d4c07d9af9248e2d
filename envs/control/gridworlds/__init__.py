"""Grid environments: rooms, mazes, chains, an office and letters, all with exact solutions.

Read `four_rooms.py` first; `office.py` and `letters.py` have missions in time.
"""
