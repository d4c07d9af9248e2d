"""Tools: worlds in which the policy must run something (SQL, code, search) to succeed.

Read `tool.py`, `toolbox.py` and `world.py`, the base of worlds with several tools. Worlds are
`sql`, `notebook`, `code_triplet`, `search`, `functions`, `novel_lib`, `shell_world`, `repo_fix`,
`terminal`, `router` and `web`; what they share, and tools for any text task, is in the others.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
