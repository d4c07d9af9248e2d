"""Tools for any text environment.

Read `with_tools.py`.
"""
