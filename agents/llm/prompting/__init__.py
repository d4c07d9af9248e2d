"""Ways to ask a text policy: several draws, plans, memory; no weights change.

Read `best_of_n.py` first.
"""
