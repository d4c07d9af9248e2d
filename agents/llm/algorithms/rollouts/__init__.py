"""Ways from prompts to the groups of a step: every file here registers its parts.

Read `plain.py`, then `dars.py`.
"""
