"""Finite automata: run a state table on a word.

Left out: automata with several next states, minimisation and equivalence.
"""

from itertools import accumulate
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import parse_words
from zerogym.envs.reasoning.renaming import Term, key_up_to_names
from zerogym.envs.reasoning.yes_no import yes_no_fault

OUTPUTS = "0123456789"
MAX_STATES = 16
MAX_LETTERS = 4
MAX_WORD = 60
TRIES = 60  # words drawn for one table, until one has the required answer
Table = dict[str, dict[str, str]]


class FiniteAutomatonEnv(ReasoningEnv):
    """Run a deterministic finite automaton on a word.

    Description:
        A table of states is drawn at random; all states can be reached. Categories: `states` (list
        the states visited), `output` (the table also gives the output of each move, a Mealy
        machine: what does it write?) and `accepted` (some states accept: is the word accepted? Half
        of the words are, whatever the table; here no letter leads from two states to the same one,
        so that the end of a word does not give the answer away).

    Observation:
        The table and the word, as text.

    Action:
        The reply as text; the answer is a list of states, a string of digits, or yes or no, read
        from `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if it is right, else 0. Case, brackets and separators do not matter.

    Difficulty:
        `3 + difficulty` states (at most 16), a word of `4 + 3 * difficulty` letters (at most 60)
        from an alphabet of `2 + difficulty / 3` (at most 4); a fractional part is the chance of one
        more.

    Example:
        >>> env = FiniteAutomatonEnv(difficulty=0, category="states")
        >>> print(env.reset(seed=1)[0])
        A finite automaton reads a word letter by letter.
        In C: on b go to Y, on w go to N
        In N: on b go to Y, on w go to C
        In Y: on b go to C, on w go to C
        It starts in C. The word is wwbb.
        Which states does it visit? List all in order, the start state first, separated by commas.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>C, N, C, Y, C</answer>")[1]
        1.0

    Source:
        Mealy machines: "A method for synthesizing sequential circuits" (1955). Execution of finite
        automata as a task for language models is also found in Reasoning Core (2025, arXiv
        2509.18083). The tables are our choice.
    """

    categories = ("states", "output", "accepted")
    binary = ("accepted",)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category and a table, then a word; for `accepted` first the answer."""
        category = pick(rng, FiniteAutomatonEnv.categories)
        level = min(difficulty, 20.0)
        count = min(MAX_STATES, 3 + round_randomly(rng, level))
        letters = sorted(
            sample_of(rng, ascii_lowercase, min(MAX_LETTERS, 2 + round_randomly(rng, level / 3)))
        )
        length = min(MAX_WORD, 4 + round_randomly(rng, 3 * level))
        names = sample_of(rng, ascii_uppercase, count)
        is_accepted, final = rng.random() < 0.5, list[str]()
        words: dict[bool, str] = {}
        while len(words) < (2 if category == "accepted" else 1):  # the table gives nothing away
            moves = _draw_moves(rng, names, letters, merging=category != "accepted")
            final = sorted(sample_of(rng, names, count // 2)) if category == "accepted" else []
            words = _word_by_answer(rng, moves, names[0], set(final), length)
        word = words[is_accepted if category == "accepted" else False]
        writes: Table = {}
        if category == "output":
            digits = sample_of(rng, OUTPUTS, 4)  # few, so that they repeat
            writes = {n: {x: pick(rng, digits) for x in letters} for n in sorted(names)}
        return _problem(category, moves, names[0], word, final, writes)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong form, or the place of the first mistake."""
        if problem.category == "accepted":
            return yes_no_fault(problem, answer)
        if problem.category == "output":
            found, right = "".join(parse_words(answer) or ()), problem.answer
        else:
            found, right = _read_states(answer), _read_states(problem.answer)
        if len(found) != len(right):
            return f"The answer has {len(found)} entries; it should have {len(right)}."
        pairs = zip(found, right, strict=True)
        place = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), 0)
        return f"Entry {place} is the first that is wrong." if place else ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return table and word up to states, letters and digits."""
        data = problem.data
        moves, writes = data["moves"], data["writes"]
        statements: list[Term] = [
            ("on", state, letter, after, writes[state][letter] if writes else "")
            for state, row in moves.items()
            for letter, after in row.items()
        ]
        statements += [("start", data["start"]), ("word", *data["word"])]
        statements += [("final", state) for state in data["final"]]
        names = [*ascii_lowercase, *ascii_uppercase, *OUTPUTS]
        return f"{problem.category}: {key_up_to_names(statements, names)}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Follow all states at once, letter by letter."""
        data = problem.data
        here = {name: name for name in data["moves"]}
        visited = [data["start"]]
        for letter in data["word"]:
            here = {name: data["moves"][now][letter] for name, now in here.items()}
            visited.append(here[data["start"]])
        if problem.category == "states":
            return ", ".join(visited)
        if problem.category == "output":
            pairs = zip(visited, data["word"], strict=False)
            return "".join(data["writes"][state][letter] for state, letter in pairs)
        return "yes" if visited[-1] in data["final"] else "no"


def _read_states(answer: str) -> str:
    """Read states as one string; names are single letters, so `ABA` is a list too."""
    return "".join(parse_words(answer.replace("->", ",")) or ())


def _draw_moves(
    rng: np.random.Generator, names: list[str], letters: list[str], merging: bool
) -> Table:
    """Draw a table until every state can be reached from the first.

    Without merging no letter leads from two states to the same one. Otherwise the last few letters
    of a word often decide by themselves where it can end.
    """
    while True:
        if merging:
            moves = {name: {letter: pick(rng, names) for letter in letters} for name in names}
        else:
            columns = {letter: shuffled(rng, names) for letter in letters}
            moves = {n: {x: columns[x][at] for x in letters} for at, n in enumerate(names)}
        reached, queue = {names[0]}, [names[0]]
        for name in queue:
            new = [state for state in moves[name].values() if state not in reached]
            queue.extend(dict.fromkeys(new))
            reached.update(new)
        if len(reached) == len(names):
            return {name: moves[name] for name in sorted(names)}


def _word_by_answer(
    rng: np.random.Generator, moves: Table, start: str, final: set[str], length: int
) -> dict[bool, str]:
    """Draw a word for each answer; one word is enough if no state accepts."""
    letters = sorted(moves[start])
    words: dict[bool, str] = {}
    for _ in range(TRIES):
        word = "".join([pick(rng, letters) for _ in range(length)])
        words.setdefault(run(moves, start, word)[-1] in final, word)
        if len(words) == 2 or not final:
            break
    return words


def run(moves: Table, start: str, word: str) -> list[str]:
    """Return the states visited, the start included."""
    return list(accumulate(word, lambda state, letter: moves[state][letter], initial=start))


def _problem(
    category: str, moves: Table, start: str, word: str, final: list[str], writes: Table
) -> Problem:
    visited = run(moves, start, word)
    lines = [
        f"In {name}: "
        + ", ".join(
            f"on {letter} go to {to}{f' and write {writes[name][letter]}' if writes else ''}"
            for letter, to in row.items()
        )
        for name, row in moves.items()
    ]
    written = "".join(writes[s][w] for s, w in zip(visited, word, strict=False)) if writes else ""
    answer = {
        "states": ", ".join(visited),
        "output": written,
        "accepted": "yes" if visited[-1] in final else "no",
    }[category]
    steps = [f"start in {start}"]
    for place, letter in enumerate(word):
        wrote = f", write {written[place]}" if writes else ""
        steps.append(f"{letter}: from {visited[place]} to {visited[place + 1]}{wrote}")
    if category == "accepted":
        steps.append(f"{visited[-1]} is {'' if answer == 'yes' else 'not '}an accepting state")
    table = "\n".join(lines)
    accepting = f" Accepting states: {', '.join(final)}." if final else ""
    return Problem(
        prompt=f"A finite automaton reads a word letter by letter.\n{table}\nIt starts in {start}."
        f"{accepting} The word is {word}.\n{_QUESTIONS[category]}",
        answer=answer,
        solution="\n".join([*steps, f"The answer is {answer}"]),
        distractors=_distractors(category, answer, visited, moves, word),
        category=category,
        data={"moves": moves, "start": start, "word": word, "final": final, "writes": writes},
        canonical=f"{category} {start} {word} {moves} {final} {writes}",
    )


_QUESTIONS = {
    "states": "Which states does it visit? List all in order, the start state first, separated by "
    "commas.",
    "output": "What does it write? Answer with all digits in order, without blanks.",
    "accepted": "Is the word accepted, that is, does it end in an accepting state? Answer yes or "
    "no.",
}


def _distractors(
    category: str, answer: str, visited: list[str], moves: Table, word: str
) -> tuple[str, ...]:
    """Give the other answer; else cut a list, change its end, or leave out a letter."""
    if category == "accepted":
        return ("no" if answer == "yes" else "yes",)
    if category == "output":
        other = next(digit for digit in OUTPUTS if digit != answer[-1])
        wrong = [answer[:-1], answer[:-1] + other, answer[1:] + answer[0], answer[::-1]]
    else:
        other = next(name for name in moves if name != visited[-1])
        skipped = run(moves, visited[0], word[1:])
        lists = [visited[1:], visited[:-1], [*visited[:-1], other], [*skipped, skipped[-1]]]
        wrong = [", ".join(states) for states in lists]
    return tuple(wrong)
