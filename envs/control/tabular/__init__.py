"""Tabular environments: the model of a Markov decision process, its solution, and episodes in it.

Read `mdp.py`, `dynamic_programming.py`, `base.py`; `product_mdp.py` is an MDP times a machine.
"""
