"""Every check of a GPU in one command, most telling first: `python -m zerogym.benchmarks.gpu`.

Read `checks.py` (all of them in order), then `runner.py`.
"""
