"""Compute to answer: generated files, a question about them, and a notebook in the sandbox."""
