"""Tool calls in a model's reply, in three ways of writing them: `tag`, `fence` and `json`.

```python
from zerogym.envs.tools.calls import get_format

written = get_format("tag")
written.find("<calculator>6 * 7</calculator>", {"calculator": tool})
# [Call(tool="calculator", arguments={"expression": "6 * 7"})]
```

Whatever a reply is, `find` returns in time that grows with its length only, and raises nothing: a
call that cannot be understood is a `Malformed`, with words for the model.

What is a call and what is not, our choices:

- What stands in `<think>...</think>` is no call; neither is everything before a `</think>`
  that was never opened (chat templates open it in the prompt). A `<think>` that stays open hides
  nothing: a model may call out of its thoughts, and its reply ends there.
- What stands in inline code or in `<answer>...</answer>` is no call.
- The last call of a reply may stay open, since generation may stop before its closing mark.
- Tags and code fences with other names are no calls, unless the name is nearly a tool's.
"""

from zerogym.envs.tools.calls.announcing import describe
from zerogym.envs.tools.calls.fences import Fences
from zerogym.envs.tools.calls.format import Call, Format, Malformed
from zerogym.envs.tools.calls.objects import Objects
from zerogym.envs.tools.calls.tags import Tags
from zerogym.errors import UnknownName

__all__ = ["FORMATS", "Call", "Format", "Malformed", "describe", "get_format"]

FORMATS: dict[str, Format] = {made.name: made for made in (Tags(), Fences(), Objects())}


def get_format(name: str) -> Format:
    """Return the format with this name; raises `UnknownName` for another one."""
    if name not in FORMATS:
        raise UnknownName("format of tool calls", name, list(FORMATS))
    return FORMATS[name]
