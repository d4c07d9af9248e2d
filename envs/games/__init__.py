"""Games: rules as pure functions, with exact values, opponents and several views each.

Read `core`, then a game (`cards/kuhn_poker.py` is the smallest), then `views`; a new game is one
file and one line of the registry.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
