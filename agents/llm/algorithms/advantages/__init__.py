"""Advantages of tokens: a paper a file.

Read `group_relative.py`.
"""
