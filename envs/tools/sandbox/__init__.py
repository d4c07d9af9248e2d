"""Runs code that a model wrote: `Sandbox`.

```python
from zerogym.envs.tools.sandbox import Limits, Sandbox

result = Sandbox().run(python="print(sum(range(10)))", limits=Limits(cpu_s=2))
```

`python -m zerogym.envs.tools.sandbox` reports whether this machine can hold it.
"""

from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.notebook import Notebook
from zerogym.envs.tools.sandbox.probe import Check, Probe, probe
from zerogym.envs.tools.sandbox.result import Result, Verdict
from zerogym.envs.tools.sandbox.sandbox import Sandbox
from zerogym.envs.tools.sandbox.session import Session
from zerogym.envs.tools.sandbox.zygote import Zygote
from zerogym.errors import SandboxUnavailable

__all__ = [
    "Check", "Limits", "Notebook", "Probe", "Result", "Sandbox", "SandboxUnavailable", "Session",
    "Verdict", "Zygote", "probe",
]  # fmt: skip
