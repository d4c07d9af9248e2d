"""Card games: small ones whose equilibria are known.

Read `kuhn_poker.py` first.
"""
