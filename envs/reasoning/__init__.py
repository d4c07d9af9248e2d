"""Reasoning: problems drawn by seeded generators, checked by exact verifiers."""
