"""Griffe extension of the site: our docstrings say `Example:` where Griffe reads `Examples:`."""

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Rename the heading, so that examples are shown as code."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object after it was read."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", text, flags=re.M)
