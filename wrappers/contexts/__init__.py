"""The constants of the physics: drawn anew, shown or hidden, changed.

Read `context_sampler.py`.
"""
