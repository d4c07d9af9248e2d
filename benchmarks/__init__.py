"""Benchmarks: suites, leagues, audits, speed and studies, and the pages about them.

Public names are listed in `__init__.pyi`; each is imported at its first use. Read `results`, then
`suites`; `statistics` is about training runs, `studies` compares methods, `speed` libraries.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
