"""Zero-shot agents: pre-trained without reward, prompted with any reward.

Public names are listed in `__init__.pyi`; each is imported at its first use. Read `config.py`;
then, each above the one before: `data`, `models`, `representations`, `algorithms`, `prompts`,
`training`. `example.py` shows all.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
