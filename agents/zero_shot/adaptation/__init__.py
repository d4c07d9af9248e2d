"""A better z for one task, with the networks as they are: by search, or online.

Read `latent_search.py`, then `residual.py`.
"""
