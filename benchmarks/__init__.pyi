from .auditing.by_id import audit
from .report.bench import run_suite
from .suites.comparison import compare

__all__ = ["audit", "compare", "run_suite"]
