"""Triplets of program, input and output: find the one that is missing."""
