"""Games of talk: bargaining, promises, questions and clues, in free text or finitely many messages.

Read `core/messages.py`, `core/rules.py`, then a game (`ultimatum.py` is the smallest);
`hidden_roles` has those with a spy or an impostor.
"""
