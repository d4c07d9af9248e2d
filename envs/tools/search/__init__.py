"""Search: questions over documents, generated or one's own, and the tools that look into them.

Read `corpus.py` and `tools.py` for the tools, `questions.py` and `env.py` for the world.
"""
