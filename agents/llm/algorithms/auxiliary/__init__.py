"""Losses on rows of their own beside the policy's: every file here registers its parts.

Read `listening.py`.
"""
