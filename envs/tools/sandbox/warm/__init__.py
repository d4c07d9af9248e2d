"""Sandboxes that stay between calls: zygotes and sessions, and the server inside them.

Read `base.py`, `live.py`, `server.py`.
"""
