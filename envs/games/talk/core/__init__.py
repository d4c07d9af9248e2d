"""The base of all games of talk: messages and their readers, and the rules.

Read `messages.py`, then `rules.py`; `surveys.py` has what a seat believes after a message, and
`folding.py` values that grow with the turns.
"""
