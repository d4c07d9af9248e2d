"""Small runs, scripted engines, servers and processes for the tests of language models.

Read `small_runs.py` and `scripted_engine.py`.
"""
