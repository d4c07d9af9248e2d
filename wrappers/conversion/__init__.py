"""Adapters between views: multiple choice for numeric learners, a text task token by token.

Read `multiple_choice.py` and `token_env.py`.
"""
