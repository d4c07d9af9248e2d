"""Reasoning: problems drawn by seeded generators, checked by exact verifiers.

Read `core.py`, then a task: `arithmetic/chain_sum.py` is the smallest. `answers.py`
compares answers; its parts are in `checking`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
