"""Logic: what follows from what, who lies, and what can be true together.

Read `propositional_entailment.py` first; `clauses.py` and `theories.py` are the machinery.
"""
