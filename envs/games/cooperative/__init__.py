"""Cooperative games: all seats have one reward; what they know or where they are differs.

Read `hanabi.py`; `hanabi_cards.py` holds what follows from hints.
"""
