"""Arithmetic: calculate, reach a number, convert bases; divisors and primes. Answers are exact.

Read `chain_sum.py` first.
"""
