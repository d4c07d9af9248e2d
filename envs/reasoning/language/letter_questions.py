"""The five kinds of question of `LetterTasks`: each draws a problem from the word list.

Only the drawing; `letter_tasks.py` scores and solves. Left out: upper case, accents, other scripts.
"""

from collections.abc import Iterable
from string import ascii_lowercase

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, picks, round_randomly, shuffled
from zerogym.envs.reasoning.language.words import (
    LONGEST,
    draw_word,
    draw_words,
    letters_of,
    words_by_initial,
    words_of,
    words_up_to,
)

OFTEN_CHANCE = 0.7
ORDERS = ("alphabetical", "reverse alphabetical", "length")
_ORDER_TEXTS = {
    "alphabetical": "in alphabetical order",
    "reverse alphabetical": "in reverse alphabetical order (z before a)",
    "length": "by length, short before long, and words of equal length in alphabetical order",
}


def draw_count(rng: np.random.Generator, level: float) -> Problem:
    """Draw a text and letters to count in it; one in four need not occur at all.

    Mostly one of them occurs more than once, so that `each once` is no good guess.
    """
    text = _draw_text(rng, min(30, 1 + round_randomly(rng, level)), level)
    amount = min(8, 2 + round_randomly(rng, level))
    often = [letter for letter in text if letter != " " and text.count(letter) > 1]
    letters = [pick(rng, often)] if often and rng.random() < OFTEN_CHANCE else []
    while len(letters) < amount:
        letter = pick(rng, text if not letters or rng.random() < 0.75 else ascii_lowercase)
        if letter != " " and letter not in letters:
            letters.append(letter)
    letters.sort()
    counts = {letter: text.count(letter) for letter in letters}
    spelled = " ".join(text.replace(" ", "/"))
    answer = write_counts(counts)
    first, last = letters[0], letters[-1]
    wrong = (
        counts | {first: counts[first] + 1},
        counts | {last: max(0, counts[last] - 1)},
        dict.fromkeys(letters, 1),
    )
    form = ", ".join(f"{letter} = ..." for letter in letters)
    return Problem(
        prompt=f'How often does each of the letters {", ".join(letters)} occur in "{text}"?\n'
        f"Answer in the form {form}.",
        answer=answer,
        solution=f"Letter by letter: {spelled}\nCounted: {answer}",
        distractors=tuple(map(write_counts, wrong)),
        data={"text": text, "letters": letters, "counts": counts},
        category="count",
        canonical=f"count {''.join(letters)} {text}",
    )


def draw_reverse(rng: np.random.Generator, level: float) -> Problem:
    """Draw a text to be written backwards, which does not read the same."""
    text = "level"
    while text == text[::-1]:
        text = _draw_text(rng, min(15, 1 + round_randomly(rng, level / 2)), level)
    answer = text[::-1]
    wrong = (
        text,
        answer[:-2] + answer[-1] + answer[-2],
        answer[1:],
        " ".join(text.split()[::-1]),
        " ".join(word[::-1] for word in text.split()),
    )
    return Problem(
        prompt=f'Write "{text}" backwards, letter by letter from the last to the first.',
        answer=answer,
        solution=f"Forwards: {' '.join(text.replace(' ', '/'))}\n"
        f"Backwards: {' '.join(answer.replace(' ', '/'))}\nTogether: {answer}",
        distractors=wrong,
        data={"text": text},
        category="reverse",
        canonical=f"reverse {text}",
    )


def draw_sort(rng: np.random.Generator, level: float) -> Problem:
    """Draw words to be sorted; from difficulty 2 half of the time with one common first letter."""
    count, order = min(40, 3 + round_randomly(rng, 2 * level)), pick(rng, ORDERS)
    known = words_up_to(LONGEST)
    if level >= 2 and rng.random() < 0.5:
        known = pick(rng, [words for words in words_by_initial().values() if len(words) > 100])
    words: dict[str, None] = {}
    while len(words) < count:
        words |= dict.fromkeys(picks(rng, known, count - len(words)))
    given = list(words)
    final = sort_words(given, order)
    while given == final:
        given = shuffled(rng, given)
    swapped = [*final[:-2], final[-1], final[-2]]
    numbered = [f"{n}. {word}" for n, word in enumerate(final, 1)]
    wrong = (given, final[::-1], swapped, sort_words(given, "alphabetical"))
    listed = ", ".join(given)
    return Problem(
        prompt=f"Sort these words {_ORDER_TEXTS[order]}: {listed}.\nAnswer with all words, "
        "separated by commas.",
        answer=", ".join(final),
        solution="\n".join([*numbered, ", ".join(final)]),
        distractors=tuple(map(", ".join, wrong)),
        data={"words": given, "order": order},
        category="sort",
        canonical=f"sort {order} {' '.join(sorted(given))}",
    )


def sort_words(words: list[str], order: str) -> list[str]:
    """Return the words in one of `ORDERS`."""
    if order == "length":
        return sorted(words, key=lambda word: (len(word), word))
    return sorted(words, reverse=order == "reverse alphabetical")


def draw_anagram(rng: np.random.Generator, level: float) -> Problem:
    """Draw shuffled letters and words of that length: one is made of them, the others nearly."""
    word = draw_word(rng, 4 + min(2, int(level / 2)), min(9, 5 + int(level)))
    count = min(20, 4 + round_randomly(rng, 4 * level))
    pool = dict.fromkeys(picks(rng, words_of(len(word)), int((2 + min(level, 5.0)) * count)))
    common = {other: len(letters_of(word) & letters_of(other)) for other in pool}
    others = [other for other in pool if common[other] < len(word)]
    others.sort(key=common.__getitem__, reverse=True)
    candidates = sorted([word, *others[: count - 1]])
    letters = _scramble(rng, word)
    while letters in candidates:
        letters = _scramble(rng, word)
    return Problem(
        prompt=f'Which of these words has exactly the letters of "{letters}", in another order?\n'
        f"{', '.join(candidates)}\nAnswer with the word.",
        answer=word,
        solution=f"In alphabetical order the letters are {_in_order(letters)}. The words:\n"
        + "\n".join(f"{other}: {_in_order(other)}" for other in candidates)
        + f"\nSo it is {word}",
        distractors=(*others[: min(4, count - 1)], letters),
        data={"letters": letters, "candidates": candidates},
        category="anagram",
        canonical=f"anagram {_in_order(letters)} {' '.join(candidates)}",
    )


def draw_group(rng: np.random.Generator, level: float) -> Problem:
    """Draw strings to be grouped by letters; half of the groups differ from another by one."""
    amount = min(8, 2 + round_randomly(rng, level / 2))
    size = min(8, 4 + int(level / 2))
    groups: dict[str, list[str]] = {}
    while len(groups) < amount:
        base = pick(rng, list(groups)) if groups and rng.random() < 0.5 else ""
        base = base[1:] + pick(rng, ascii_lowercase) if base else pick(rng, words_of(size))
        count = draw_int(rng, 1 if groups else 2, 3)
        found = {_scramble(rng, base): None for _ in range(count)}
        groups.setdefault(_in_order(base), list(found))
    final = _sorted(groups.values())
    given = shuffled(rng, [string for group in final for string in group])
    merged = [sorted([*final[0], *final[1]]), *final[2:]]
    wrong = (merged, [[string] for string in given], [given], final[:-1])
    answer = write_groups(final)
    return Problem(
        prompt="Put the strings that have exactly the same letters into one group: "
        f"{', '.join(given)}.\nAnswer with all groups: commas between the strings of a group, "
        "semicolons between groups.",
        answer=answer,
        solution="\n".join([*(f"{string}: {_in_order(string)}" for string in given), answer]),
        distractors=tuple(write_groups(w) for w in wrong if _sorted(w) != final),
        data={"strings": given, "groups": final},
        category="group",
        canonical=f"group {' '.join(sorted(given))}",
    )


def _sorted(groups: Iterable[list[str]]) -> list[list[str]]:
    """Return groups in the one order that equal groupings share."""
    return sorted(sorted(group) for group in groups)


def write_counts(counts: dict[str, int]) -> str:
    """Write counts like `a = 2, b = 0`."""
    return ", ".join(f"{letter} = {count}" for letter, count in counts.items())


def write_groups(groups: list[list[str]]) -> str:
    """Write groups like `ab, ba; cd`."""
    return "; ".join(", ".join(group) for group in groups)


def _draw_text(rng: np.random.Generator, count: int, level: float) -> str:
    longest = min(LONGEST, 5 + int(2 * level))
    return " ".join(draw_words(rng, 3, longest, count))


def _scramble(rng: np.random.Generator, word: str) -> str:
    return "".join(shuffled(rng, word))


def _in_order(word: str) -> str:
    return "".join(sorted(word))
