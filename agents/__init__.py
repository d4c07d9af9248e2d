"""Agents: policies, and how they learn. What all of them share is here; each kind is a folder.

Read `core.py`; `trajectory.py` is what language-model rollouts record.
"""
