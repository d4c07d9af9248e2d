"""Advantages of tokens: a paper a file; every file here registers its parts.

Read `group_relative.py`.
"""
