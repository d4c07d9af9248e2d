"""A radio that senses a band and looks for its place in it, with the exact filter and planner.

Read `band.py`, `sensing.py`, `cognitive_radio.py`.
"""
