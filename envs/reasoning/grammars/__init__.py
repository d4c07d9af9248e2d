"""Formal languages: context-free grammars, and regular expressions to follow or to find.

Read `grammar.py` and `regexes.py`.
"""
