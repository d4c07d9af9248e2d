"""Shared by several test files: small worlds, models and players, and the cases of the registry.

Read `episodes.py`; what tests of one subject share is in the folders.
"""
