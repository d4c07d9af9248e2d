"""Language-model policies and their training.

Public names are listed in `__init__.pyi`; each is imported at its first use. Read `policy.py`;
then, each above the one before: `models`, `generation`, `rollout`, `algorithms`, `config`,
`grpo_config.py`, `learner`, `training`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
