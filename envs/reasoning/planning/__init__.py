"""Planning: any valid plan scores, checked by executing it; in PDDL or on a map.

Read `strips.py`, `pddl.py`, `blocksworld.py`.
"""
