"""Prompts of an agent: rewards, goals, demonstrations, sentences, pictures, machines.

Read `prompt.py`, then `sentences.py`.
"""
