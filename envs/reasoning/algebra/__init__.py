"""Algebra: linear equations, polynomials, and sequences whose rule is to be found.

Read `linear_equations.py` first.
"""
