"""Games of talk: bargaining, promises and questions, in free text or in finitely many messages.

Read `core/messages.py`, `core/rules.py`, then a game (`ultimatum.py` is the smallest).
"""
