"""Items of reasoning-gym as problems of our tasks.

Read `items.py`.
"""
