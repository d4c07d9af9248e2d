"""Ids for models whose tokens nobody sees: one for each character, one mark for each speaker.

A server of messages takes and gives texts. Engines take and give ids, so that a conversation is a
row of numbers; here these numbers are code points, and a row can be read back as the messages it
was made of, exactly. What a text spells can never be a mark. These ids say nothing about the
model's own tokens: there is nothing to train on.
"""

from collections.abc import Mapping, Sequence

_ROLES = ("system", "user", "assistant")
_FIRST_MARK = 0x110000  # the first number that is no code point
_MARKS = {chr(0xF0000 + place): _FIRST_MARK + place for place in range(len(_ROLES))}


class CharacterTokenizer:
    """What `make_chat` needs of a tokenizer, for messages.

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
        """The ids of a text; marks are characters if `split_special_tokens`."""
        marks = {} if split_special_tokens else _MARKS
        return {"input_ids": [marks.get(character, ord(character)) for character in text]}

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of ids without marks."""
        return "".join(chr(number) for number in ids if number < _FIRST_MARK)

    def apply_chat_template(
        self, messages: Sequence[Mapping[str, str]], tokenize: bool, add_generation_prompt: bool
    ) -> str:
        """Messages as one text, each after the mark of its speaker."""
        marks = dict(zip(_ROLES, _MARKS, strict=True))
        said = "".join(marks[message["role"]] + message["content"] for message in messages)
        return said + (marks["assistant"] if add_generation_prompt else "")

    def messages(self, ids: Sequence[int]) -> list[dict[str, str]]:
        """The messages that a prompt was made of; what has no speaker is the user's."""
        parts: list[tuple[str, list[int]]] = [("user", [])]
        for number in ids:
            if number >= _FIRST_MARK:
                parts.append((_ROLES[number - _FIRST_MARK], []))
            else:
                parts[-1][1].append(number)
        last = len(parts) - 1  # the mark after which the reply is asked for
        return [
            {"role": role, "content": self.decode(numbers)}
            for place, (role, numbers) in enumerate(parts)
            if numbers or 0 < place < last
        ]
