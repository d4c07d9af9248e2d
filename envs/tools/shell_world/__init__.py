"""Shell: change a folder of files with bash, then print what the question names.

Read `tree.py` (the files), `step.py`, `edits.py`, `queries.py`, `reward.py`, `env.py`.
"""
