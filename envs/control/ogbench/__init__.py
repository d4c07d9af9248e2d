"""A bridge to OGBench: its mazes and cubes as control worlds, with any task.

Read `ogbench_env.py`.
"""
