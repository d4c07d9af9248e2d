"""Stages of a run, each with settings of its own, and their switches.

Read `sequence.py`.
"""
