"""Signs of divergence in the metrics of an update, beside the running level in the log.

A diverging run gives finite numbers for thousands of updates: B loses dimensions, then the Bellman
term grows without bound. Two rules, both relative to the medians of the last rows of the log, so
that they hold for every environment and continue with the log of an interrupted run:

- `sign_of_divergence`: the run has to end;
- `is_good`: the state may replace the checkpoint. Stricter, because a run is past saving some
  hundred updates before the first rule sees it.
"""

import math
import statistics
from collections.abc import Mapping, Sequence

Row = Mapping[str, float]

RECENT = 20  # rows of the log that make the running level
FEW = 10  # rows before which there is none
DIVERGED = 20.0  # times the running level, after a suspect row: one batch is no divergence
SUSPECT = 4.0  # times the running level; single batches of sound runs reached 2.3 times
RANK_LEFT = 0.9  # part of its running level that the rank of B keeps in a good state
# The Bellman term of forward-backward, of F'z, and of successor features.
BELLMAN = ("forward/bellman", "forward/value_loss", "forward/loss")


def sign_of_divergence(metrics: Row, log: Sequence[Row]) -> str | None:
    """Return why an update shows that training has diverged, or None.

    Args:
        metrics: Of the update.
        log: Rows of reports before it.
    """
    for name, value in metrics.items():
        if not math.isfinite(value):
            return f"{name} is {value}"
    name, times = _rise(metrics, log)
    if times > DIVERGED and _rise(log[-1], log[:-1])[1] > SUSPECT:
        return f"{name} is {metrics[name]:.4g}, {times:.0f} times its running level"
    return None


def is_good(metrics: Row, log: Sequence[Row]) -> bool:
    """Return whether a state with these metrics may replace the checkpoint."""
    if sign_of_divergence(metrics, log) or _rise(metrics, log)[1] > SUSPECT:
        return False
    rank, level = metrics.get("backward/rank"), _level("backward/rank", log)
    return rank is None or level is None or rank >= RANK_LEFT * level


def _rise(metrics: Row, log: Sequence[Row]) -> tuple[str, float]:
    """Return the name of the Bellman term, and how many times its running level it is."""
    name = next((name for name in BELLMAN if name in metrics), "")
    level = _level(name, log)
    return name, metrics[name] / level if level else 0.0


def _level(name: str, log: Sequence[Row]) -> float | None:
    """Return the median of the last rows, None of too few."""
    values = [row[name] for row in log[-RECENT:] if name in row]
    return statistics.median(values) if len(values) >= FEW else None
