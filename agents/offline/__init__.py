"""Offline baselines: a policy for one task from stored transitions, one file a paper.

Public names are listed in `__init__.pyi`; each is imported at its first use. Read `transitions.py`,
`networks.py` and `method.py`, then a file of `methods`, then `agent.py`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
