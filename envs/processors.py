"""How many processors this process may use: batch systems and `taskset` grant fewer than there are.

`os.process_cpu_count` says so from Python 3.13 on.
"""

import os


def processors() -> int:
    """Those that the process is allowed to run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
