"""Tools that run what a model wrote, in the sandbox: Python, a shell, a notebook.

Read `execution.py` and `python.py`.
"""
