"""Verbs that train agents, use them, and keep what they have recorded."""
