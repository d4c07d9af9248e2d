"""Counting and chances: arrangements, dice, coins, urns and cards; the answer is an exact fraction.

Read `counting.py` and `probability.py`.
"""
