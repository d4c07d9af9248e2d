"""Exploration: agents that act without a reward, and the data that they collect.

Public names are listed in `__init__.pyi`; each is imported at its first use. Read `policies.py`,
`collection.py` and `players.py`; papers are files of `rewards`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
