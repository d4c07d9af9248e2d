"""Every check of a GPU in one command: `python -m zerogym.benchmarks.gpu`.

Read `checks.py` (all of them in order), then `runner.py`.
"""
