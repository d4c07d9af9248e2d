"""Number of processors that this process may use; batch systems and `taskset` limit it.

`os.process_cpu_count` returns it from Python 3.13 on.
"""

import os


def processors() -> int:
    """Return the number of processors that the process is allowed to run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
