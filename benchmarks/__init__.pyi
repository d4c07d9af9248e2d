from .auditing.by_id import audit
from .report.bench import run_suite
from .statistics.adastop import AdaStop
from .statistics.bootstrap import difference, estimate, holm, improvement
from .statistics.run_scores import (
    AGGREGATES,
    RunScores,
    interquartile_mean,
    performance_profile,
    probability_of_improvement,
)
from .suites.comparison import compare

__all__ = [
    "AGGREGATES",
    "AdaStop",
    "RunScores",
    "audit",
    "compare",
    "difference",
    "estimate",
    "holm",
    "improvement",
    "interquartile_mean",
    "performance_profile",
    "probability_of_improvement",
    "run_suite",
]
