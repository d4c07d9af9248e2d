"""Training steps and tokens a second of language models, beside TRL and `generate`.

Read `grpo.py`.
"""
