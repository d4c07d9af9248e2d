"""Datasets as tensors, and histories of observations and actions.

Read `tensor_dataset.py`.
"""
