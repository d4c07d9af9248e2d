"""Griffe extension of the site, for the parts of our docstrings that Griffe reads otherwise."""

import re
from typing import Any

import griffe

from zerogym.agents.field_comments import attributes_section

DESCRIBED = "zerogym.agents.field_comments.describe_fields"


class Docstrings(griffe.Extension):
    """Show examples as code, and the comments of settings as their descriptions."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename the heading `Example:` to `Examples:`, which Griffe knows."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", text, flags=re.M)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add what `describe_fields` adds when it runs; Griffe does not import the class."""
        described = any(found.callable_path == DESCRIBED for found in cls.decorators)
        if described and cls.docstring is not None:
            cls.docstring.value += f"\n\n{attributes_section(cls.source)}".rstrip()
