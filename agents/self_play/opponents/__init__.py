"""Opponents as parts with settings: in environments, in leagues, and in training.

Public names are listed in `__init__.pyi`; each is imported at its first use. Read `table.py`, then
`players.py` and `earlier_selves.py`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
