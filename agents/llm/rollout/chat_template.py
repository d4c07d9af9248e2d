"""Turning a conversation into token ids, one turn at a time.

Each function returns only the ids that are added before the next reply. Sampled ids stay as they
were sampled: encoding a decoded reply again may give other ids, to which neither its
log-probabilities nor the cached keys and values belong.

Observations cannot forge turns: where one spells a special token of the tokenizer, it is encoded as
ordinary characters.

Left out: tool-call roles, images, templates that rewrite earlier turns (only what follows a reply
is taken from the template, so such rewriting has no effect).
"""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

ChatKind = Literal["auto", "template", "plain"]

# Words that no template contains; they are replaced by the texts after rendering.
_SYSTEM, _FIRST, _REPLY, _NEXT = "zgSystemText", "zgFirstText", "zgReplyText", "zgNextText"


class Chat(Protocol):
    """A way to write a conversation."""

    def opening(self, observation: str) -> list[int]:
        """Return the ids before the first reply."""

    def following(self, reply: Sequence[int], observation: str) -> list[int]:
        """Return the ids between a sampled `reply` and the next one."""


def make_chat(kind: ChatKind, tokenizer: Any, system: str | None = None) -> Chat:
    """Make the chat of a tokenizer; `auto` takes its template if it has one.

    Raises:
        ValueError: If `kind` is unknown, or `template` is set and the tokenizer has none.
    """
    if kind not in ("auto", "template", "plain"):
        raise ValueError(f"chat must be 'auto', 'template' or 'plain', got {kind!r}")
    if kind == "plain" or (kind == "auto" and not tokenizer.chat_template):
        return PlainChat(tokenizer, system)
    return TemplateChat(tokenizer, system)


class PlainChat:
    r"""Lines of text for base models: `observation \n reply \n observation \n reply`.

    Each observation ends with a line break, and so does each reply before the next observation
    (one is added unless the reply has ended with it). `system` stands above the first observation.
    A base model goes on writing by itself: give its sampling a stop text, for example
    `stop=("\n",)`.
    """

    def __init__(self, tokenizer: Any, system: str | None = None) -> None:
        self._tokenizer = tokenizer
        self._head = f"{system}\n" if system else ""

    def opening(self, observation: str) -> list[int]:
        """Return the ids before the first reply, the begin-of-sequence token first."""
        begin = self._tokenizer.bos_token_id
        start = [] if begin is None else [begin]
        return start + encode_plain(self._tokenizer, f"{self._head}{observation}\n")

    def following(self, reply: Sequence[int], observation: str) -> list[int]:
        """Return the ids between a sampled reply and the next one."""
        written = self._tokenizer.decode(list(reply)[-8:], skip_special_tokens=True)
        line_break = "" if written.endswith("\n") else "\n"
        return encode_plain(self._tokenizer, f"{line_break}{observation}\n")


class TemplateChat:
    """The tokenizer's own chat template, rendered once per turn.

    Args:
        tokenizer: A tokenizer with a `chat_template`.
        system: Text of the system turn; None leaves it to the template.

    Raises:
        ValueError: If there is no template, or it does not write turns in order and unchanged.
    """

    def __init__(self, tokenizer: Any, system: str | None = None) -> None:
        if not tokenizer.chat_template:
            raise ValueError("the tokenizer has no chat template: use chat='plain'")
        self._tokenizer, self._system = tokenizer, system or ""
        messages = [{"role": "user", "content": _FIRST}]
        if system:
            messages.insert(0, {"role": "system", "content": _SYSTEM})
        self._opening = self._render(messages)
        reply = [
            {"role": "assistant", "content": _REPLY},
            {"role": "user", "content": _NEXT},
        ]
        whole = self._render([*messages, *reply])
        if whole.count(_REPLY) != 1 or whole.count(_NEXT) != 1 or _FIRST not in self._opening:
            raise ValueError("the chat template changes or repeats messages: use chat='plain'")
        self._following = whole.partition(_REPLY)[2]

    def opening(self, observation: str) -> list[int]:
        """Return the ids before the first reply."""
        return self._fill(self._opening, {_SYSTEM: self._system, _FIRST: observation})

    def following(self, reply: Sequence[int], observation: str) -> list[int]:
        """Return the ids between a sampled reply and the next one.

        They begin with what the template writes after a reply (its end token, say), unless the
        reply was sampled with it.
        """
        ids = self._fill(self._following, {_NEXT: observation})
        ended = bool(reply) and bool(ids) and reply[-1] == ids[0]
        return ids[1:] if ended and ids[0] in self._tokenizer.all_special_ids else ids

    def _render(self, messages: list[dict[str, str]]) -> str:
        rendered: str = self._tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        return rendered

    def _fill(self, rendered: str, texts: dict[str, str]) -> list[int]:
        """Encode the rendered template with the texts in their places."""
        pieces: list[tuple[str, bool]] = [(rendered, False)]  # text, from an observation
        for marker, text in texts.items():
            pieces = [part for piece in pieces for part in _place(piece, marker, text)]
        specials = self._tokenizer.all_special_tokens
        if not any(token in text for text in texts.values() for token in specials):
            # In one go, so that merges across the borders are those of the template's own use.
            return _encode(self._tokenizer, "".join(text for text, _ in pieces), False)
        return [i for text, plain in pieces for i in _encode(self._tokenizer, text, plain)]


def encode_plain(tokenizer: Any, text: str) -> list[int]:
    """Return the ids of a text; special tokens that it spells become ordinary characters."""
    return _encode(tokenizer, text, True)


def _place(piece: tuple[str, bool], marker: str, text: str) -> list[tuple[str, bool]]:
    written, plain = piece
    if plain or marker not in written:
        return [piece]
    before, _, after = written.partition(marker)
    return [(before, False), (text, True), (after, False)]


def _encode(tokenizer: Any, text: str, plain: bool) -> list[int]:
    # Lone surrogates have no UTF-8 form: tokenizers refuse them.
    valid = text.encode("utf-8", "replace").decode("utf-8")
    ids: list[int] = tokenizer(
        valid, add_special_tokens=False, split_special_tokens=plain, verbose=False
    )["input_ids"]
    return ids
