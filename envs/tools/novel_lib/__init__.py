"""NovelLib: a library with invented names, whose documents may be hidden, and tasks that need it.

Read `operations.py`, `library.py`, `program.py`, `tasks.py`, `env.py`.
"""
