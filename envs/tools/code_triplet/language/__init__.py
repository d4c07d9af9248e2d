"""The small language of drawn programs: its operations, an interpreter, Python text, random draws.

Read `primitives.py`, `interpreter.py`, `programs.py`.
"""
