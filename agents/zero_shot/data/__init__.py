"""Datasets as agents draw from them: tensors, and rows of what was seen before.

Read `tensor_dataset.py`.
"""
