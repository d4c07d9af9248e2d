"""Floors and ceilings of the control worlds: `zerogym baselines` measures them and stores them.

What was measured for the repository is in `benchmarks/data/control`, one file a world.
"""
