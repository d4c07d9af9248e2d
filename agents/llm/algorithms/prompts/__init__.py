"""Sources of prompts, curricula among them: every file here registers its parts.

Read `endless.py`, then `sec.py`.
"""
