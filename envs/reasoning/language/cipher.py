"""Ciphers: write a message in a classical cipher, or read one, with the key or without.

Left out: transposition ciphers, and breaking anything but a Caesar shift (a substitution without
its key has no answer that can be checked to be the only one).
"""

from itertools import cycle, islice
from string import ascii_lowercase as ALPHABET

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, shuffled
from zerogym.envs.reasoning.language.words import LONGEST, draw_word, draw_words, known_words
from zerogym.envs.reasoning.listings import plain
from zerogym.envs.reasoning.mistakes import swap_letters

MAX_WORDS = 25
TO_BREAK = 3  # words at least of a message to be read without the key
_PLACE = {letter: place for place, letter in enumerate(ALPHABET)}
_ATBASH = str.maketrans(ALPHABET, ALPHABET[::-1])
_SUMS = {(a, b): ALPHABET[(_PLACE[a] + _PLACE[b]) % 26] for a in ALPHABET for b in ALPHABET}
_ROTATED = [ALPHABET[k:] + ALPHABET[:k] for k in range(26)]
_SHIFTED = [str.maketrans(ALPHABET, row) for row in _ROTATED]
_SHIFTED_BACK = [str.maketrans(row, ALPHABET) for row in _ROTATED]


class CipherEnv(ReasoningEnv):
    """Encode or decode a message.

    Description:
        The message is a row of common English words. Categories: `caesar`, `atbash`, `vigenere`
        and `substitution`, half of the time to encode and half to decode with the given key, and
        `break`: a Caesar cipher without the key, of which exactly one of the 26 shifts gives words
        of the package's list (checked).

    Observation:
        How the cipher works, its key and the message, as text.

    Action:
        The reply as text; the answer is the message, read from `<answer>...</answer>`, else the
        last `\\boxed{...}`, else the last line. Case does not matter, blanks between words do.

    Reward:
        1 if the message is right, else 0.

    Difficulty:
        Messages of `1 + difficulty` words (a fractional part is the chance of one more, at most
        25), for `break` two words more; words of up to `4 + 2 * difficulty` letters (at most 12).
        Shifts up to `2 + 10 * difficulty` (at most 25), keys of Vigenère from three letters to
        eight.

    Example:
        >>> env = CipherEnv(difficulty=0, category="caesar")
        >>> print(env.reset(seed=1)[0])
        A Caesar cipher replaces each letter by the one 2 places later in the alphabet;
        after z comes a.
        Encode this message: bead
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>dgcf</answer>")[1]
        1.0

    Source:
        Classical ciphers. As a test of language models: "Embers of Autoregression: Understanding
        Large Language Models Through the Problem They are Trained to Solve" (2023, arXiv
        2309.13638) measures shift ciphers.
    """

    categories = ("caesar", "atbash", "vigenere", "substitution", "break")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category, a message and a key; the direction by a coin."""
        level = min(difficulty, 30.0)
        category = pick(rng, CipherEnv.categories)
        extra = TO_BREAK - 1 if category == "break" else 0
        count = min(MAX_WORDS, 1 + extra + round_randomly(rng, level))
        longest = min(LONGEST, 4 + int(2 * level))
        key = _draw_key(rng, category, level)
        decode = category == "break" or rng.random() < 0.5
        while True:
            message = " ".join(draw_words(rng, 3, longest, count))
            secret = encode(category, key, message)
            if category != "break" or len(readable_shifts(secret)) == 1:
                break
        given, answer = (secret, message) if decode else (message, secret)
        return Problem(
            prompt=_prompt(category, key, decode, given),
            answer=answer,
            solution=_solution(category, key, decode, given, answer),
            distractors=_distractors(category, key, given, answer),
            category=category,
            data={"key": "" if category == "break" else key, "decode": decode, "text": given},
            canonical=f"{category} {key} {message}",
        )

    read = staticmethod(plain)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Decode through the inverted table of each place; to break it, try all shifts."""
        text, key = problem.data["text"], problem.data["key"]
        if problem.category == "break":
            return readable_shifts(text)[0]
        tables = _tables(problem.category, key)
        if problem.data["decode"]:
            tables = [{c: p for p, c in table.items()} for table in tables]
        rest = cycle(tables)
        return "".join(" " if letter == " " else next(rest)[letter] for letter in text)

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the words up to one with two letters exchanged."""
        return swap_letters(problem.solution, rng) or super().corrupt(problem, rng)

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong form, or count the wrong letters."""
        given, right = plain(answer), problem.answer
        if [len(word) for word in given.split()] != [len(word) for word in right.split()]:
            return "The words of the answer are not as long as those of the message."
        wrong = sum(a != b for a, b in zip(given, right, strict=True))
        return f"Wrong letters: {wrong} of {len(right.replace(' ', ''))}."


def encode(category: str, key: str, message: str) -> str:
    """Encode a message; `break` is Caesar. Blanks stay and use up no letter of a key."""
    if category == "vigenere":
        coded = map(_SUMS.__getitem__, zip(cycle(key), message.replace(" ", "")))
        return " ".join(["".join(islice(coded, len(word))) for word in message.split(" ")])
    if category == "atbash":
        return message.translate(_ATBASH)
    if category == "substitution":
        return message.translate(str.maketrans(ALPHABET, key))
    return message.translate(_SHIFTED[int(key)])


def readable_shifts(secret: str) -> list[str]:
    """Return the messages of listed words only among the decoded ones of a Caesar cipher."""
    words, known = secret.split(), known_words()
    return [
        secret.translate(table)
        for table in _SHIFTED_BACK
        if all(word.translate(table) in known for word in words)
    ]


def _tables(category: str, key: str) -> list[dict[str, str]]:
    """Return tables from plain to secret letters, one for each letter of a Vigenère key."""
    rows = {
        "vigenere": lambda: [_ROTATED[ALPHABET.index(letter)] for letter in key],
        "caesar": lambda: [_ROTATED[int(key)]],
        "substitution": lambda: [key],
        "atbash": lambda: [ALPHABET[::-1]],
    }[category]()
    return [dict(zip(ALPHABET, row, strict=True)) for row in rows]


def _draw_key(rng: np.random.Generator, category: str, level: float) -> str:
    if category == "substitution":
        return "".join(shuffled(rng, ALPHABET))
    if category == "vigenere":
        return draw_word(rng, 3, min(8, 3 + int(level)))
    return "" if category == "atbash" else str(draw_int(rng, 1, min(25, int(2 + 10 * level))))


def _prompt(category: str, key: str, decode: bool, given: str) -> str:
    places = "1 place" if key == "1" else f"{key} places"
    how = {
        "caesar": f"A Caesar cipher replaces each letter by the one {places} later in the "
        "alphabet;\nafter z comes a.",
        "atbash": "The Atbash cipher replaces a by z, b by y, c by x and so on, z by a.",
        "vigenere": f'A Vigenère cipher has the key "{key}". The first letter of the message is '
        "moved\nas many places later in the alphabet as the first letter of the key is after a "
        "(a: 0, b: 1, ...),\nthe second as the second says, and so on; after the last letter of "
        "the key comes its first again.\nBlanks stay and use up no letter of the key.",
        "substitution": "A substitution cipher replaces each letter of the upper row by the one "
        f"below it.\n{ALPHABET}\n{key}",
        "break": "A Caesar cipher replaces each letter by the one a fixed number of places later "
        "in the alphabet;\nafter z comes a. The number is not known, but the message is a row of "
        "common English words.",
    }
    return f"{how[category]}\n{'Decode' if decode else 'Encode'} this message: {given}"


def _solution(category: str, key: str, decode: bool, given: str, answer: str) -> str:
    """Work word by word; without the key first all shifts of the first word."""
    words = zip(given.split(), answer.split(), strict=True)
    lines = [f"{before} becomes {after}" for before, after in words]
    if category == "break":
        first = given.split()[0]
        tried = [f"{k} back: {first.translate(table)}" for k, table in enumerate(_SHIFTED_BACK)]
        lines = [*tried, f"Only {key} back gives words everywhere.", *lines]
    return "\n".join([*lines, f"Together: {answer}"])


def _distractors(category: str, key: str, given: str, answer: str) -> tuple[str, ...]:
    """Do nothing, shift the last letter or all letters by one, or turn the message round."""
    off = answer[:-1] + encode("caesar", "1", answer[-1])
    wrong = [given, off, encode("caesar", "1", answer), answer[::-1]]
    if category in ("caesar", "vigenere"):
        wrong.append(" ".join(encode(category, key, word) for word in given.split()))
    return tuple(wrong)
