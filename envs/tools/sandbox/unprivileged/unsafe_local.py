"""Level `unsafe-local`: no walls. The program can do whatever the user can.

A temporary folder, an almost empty environment, capped pipes, limits as far as the kernel's and the
watch go, and an end for the processes that can be found. It is for programs that are trusted, on a
machine with nothing to lose and no better level. It has to be chosen explicitly, warns at every
construction, refuses root, and marks every result and every report.
"""

import os
import sys
import warnings

from zerogym.envs.tools.sandbox.execution.execute import Call
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.unprivileged.supervised import execute_supervised
from zerogym.errors import SandboxUnavailable, UnsafeSandboxWarning


def refuse_or_warn() -> None:
    """Refuse root and other systems; warn at each construction.

    Raises:
        SandboxUnavailable: As root, or where there is no Linux.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(f"Level unsafe-local needs Linux; this is {sys.platform}.")
    if os.geteuid() == 0:
        raise SandboxUnavailable(
            "Level unsafe-local isolates nothing and does not run as root: become another user "
            "(setpriv --reuid=65534 --clear-groups ...), or use level='strong' or 'landlock'."
        )
    warnings.warn(
        "Sandbox(level='unsafe-local') isolates nothing: a program that a model wrote can read, "
        "change and send whatever this user can. Results and reports are marked.",
        UnsafeSandboxWarning,
        stacklevel=3,
    )


def execute_unsafe(call: Call) -> Result:
    """Run a call."""
    return execute_supervised(call, None)
