"""Exact and approximate play: backward induction, alpha-beta, best response, CFR+, MCTS.

Read `best_response.py`; `oracle.py` chooses the best that is known of a game.
"""
