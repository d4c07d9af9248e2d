"""Messages of chats, as mappings or objects, as the text of an observation."""

from collections.abc import Mapping, Sequence
from typing import Any


def texts(messages: Sequence[Any]) -> str:
    """Return messages as one text, each with its role if an assistant's is among them.

    Example:
        >>> texts([{"role": "system", "content": "Add."}, {"role": "user", "content": "1 + 2"}])
        'Add.\\n\\n1 + 2'
    """
    fields = [_fields(message) for message in messages]
    labelled = any(message["role"] == "assistant" for message in fields)
    found = ((message["role"], _content(message["content"])) for message in fields)
    return "\n\n".join(f"{role}: {text}" if labelled else text for role, text in found if text)


def after_reply(messages: Sequence[Any]) -> Sequence[Any]:
    """Return what stands after the last message of the assistant; nothing if there is none."""
    roles = [_fields(message)["role"] for message in messages]
    return messages[len(roles) - roles[::-1].index("assistant") :] if "assistant" in roles else ()


def _content(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts = [_fields(part) for part in content]  # a picture is only named
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in parts)


def _fields(one: Any) -> Mapping[str, Any]:
    return one if isinstance(one, Mapping) else vars(one)
