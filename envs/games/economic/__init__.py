"""Games of simultaneous decisions with payoffs: matrix games, Blotto, a sealed-bid auction.

Read `matrix.py` first.
"""
