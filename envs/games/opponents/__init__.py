"""Opponents by name: rules of thumb, solvers, past selves, installed packages.

Read `registry.py`.
"""
