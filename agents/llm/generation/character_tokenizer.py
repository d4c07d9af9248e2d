"""Ids for models with hidden tokens: one for each character, one mark for each speaker.

A server of messages takes and returns texts, engines take and return ids. Here ids are code points,
and a row of them decodes to exactly the messages that it was made of. No text can spell a mark.
These ids are unrelated to the model's own tokens: they cannot be trained on.
"""

from collections.abc import Mapping, Sequence

_ROLES = ("system", "user", "assistant")
_FIRST_MARK = 0x110000  # the first number that is no code point
_MARKS = {chr(0xF0000 + place): _FIRST_MARK + place for place in range(len(_ROLES))}


class CharacterTokenizer:
    """The part of a tokenizer that `make_chat` needs, for messages.

    Example:
        >>> from zerogym.agents.llm.rollout.chat_template import make_chat
        >>> tokenizer = CharacterTokenizer()
        >>> ids = make_chat("auto", tokenizer, system="Be brief.").opening("2 + 2?")
        >>> [message["content"] for message in tokenizer.messages(ids)]
        ['Be brief.', '2 + 2?']
    """

    chat_template = "messages"
    bos_token_id = None
    eos_token_id = None
    pad_token_id = 0
    all_special_tokens = tuple(_MARKS)
    all_special_ids = tuple(_MARKS.values())

    def __call__(
        self, text: str, add_special_tokens: bool, split_special_tokens: bool, verbose: bool
    ) -> dict[str, list[int]]:
        """Return the ids of a text; marks are characters if `split_special_tokens`."""
        marks = {} if split_special_tokens else _MARKS
        return {"input_ids": [marks.get(character, ord(character)) for character in text]}

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Return the text of ids without marks."""
        return "".join(chr(number) for number in ids if number < _FIRST_MARK)

    def apply_chat_template(
        self, messages: Sequence[Mapping[str, str]], tokenize: bool, add_generation_prompt: bool
    ) -> str:
        """Return messages as one text, each after the mark of its speaker."""
        marks = dict(zip(_ROLES, _MARKS, strict=True))
        said = "".join(marks[message["role"]] + message["content"] for message in messages)
        return said + (marks["assistant"] if add_generation_prompt else "")

    def messages(self, ids: Sequence[int]) -> list[dict[str, str]]:
        """Return the messages of a prompt; text without a speaker is the user's."""
        parts: list[tuple[str, list[int]]] = [("user", [])]
        for number in ids:
            if number >= _FIRST_MARK:
                parts.append((_ROLES[number - _FIRST_MARK], []))
            else:
                parts[-1][1].append(number)
        last = len(parts) - 1  # the mark after which the reply is to come
        return [
            {"role": role, "content": self.decode(numbers)}
            for place, (role, numbers) in enumerate(parts)
            if numbers or 0 < place < last
        ]
