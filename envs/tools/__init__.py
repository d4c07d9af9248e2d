"""Tools: worlds in which the policy must run something (SQL, code, search) to succeed.

Read `tool.py` and `toolbox.py`; worlds are `sql`, `notebook` and `code_triplet`, tools the other
folders.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
