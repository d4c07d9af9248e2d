"""Settings of a GRPO run by group; `grpo_config.py` puts them together.

Read `task.py`, `episodes.py` and `algorithm.py` first.
"""
