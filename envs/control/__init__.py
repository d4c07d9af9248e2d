"""Control: worlds and physics without a reward of their own; tasks are data.

Read `core`, then one world: `classic` is the smallest. `temporal` has tasks with a memory,
`tabular` the exact models.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
