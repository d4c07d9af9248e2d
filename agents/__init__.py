"""Agents: policies and their training. The shared parts are here; each kind is a folder.

Read `core.py`; `trajectory.py` is the record of language-model rollouts.
"""
