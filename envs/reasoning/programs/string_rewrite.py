"""String rewriting: apply the first rule that fits at its leftmost place, again and again.

Left out: rules with variables or patterns, rules for the beginning or end of a string only, and
questions on termination itself.
"""

from string import ascii_lowercase

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.listings import plain
from zerogym.envs.reasoning.mistakes import swap_letters
from zerogym.envs.reasoning.renaming import key_up_to_names

MAX_STEPS = 40
MAX_RULES = 8
MAX_STRING = 40
SHORTEST = 3  # letters of an answer
TRIES = 40  # draws of rules and string until enough steps are made
Rules = list[list[str]]


class StringRewriteEnv(ReasoningEnv):
    """Rewrite a string by rules.

    Description:
        A list of rules `left -> right` and a string are drawn. One step takes the first rule of
        the list whose left side occurs and replaces its leftmost occurrence. Categories:
        `normal_form` (until no rule applies; each rule shortens the string or makes it come
        earlier in the alphabet, so it ends) and `steps` (a stated number of steps, with rules that
        may also grow the string). The answer is never empty.

    Observation:
        The rules and the string, as text.

    Action:
        The reply as text; the answer is the string alone, read from `<answer>...</answer>`, else
        the last `\\boxed{...}`, else the last line.

    Reward:
        1 if the string is right, else 0. Case, blanks and quotes around it do not matter.

    Difficulty:
        `1 + 2 * difficulty` steps or more (at most 40; where 40 draws give none so long, the
        longest of them), `2 + difficulty / 2` rules (at most 8), and a string of
        `5 + 2 * difficulty` letters (at most 40); a fractional part is the chance of one more. The
        rules use three or four letters, drawn anew.

    Example:
        >>> env = StringRewriteEnv(difficulty=0, category="normal_form")
        >>> print(env.reset(seed=3)[0])
        Rules:
        1. rb -> or
        2. rbr -> ob
        One step takes the first rule in this list whose left side occurs in the string,
        and replaces the leftmost occurrence of its left side by its right side.
        Start with oborb and make such steps until no rule applies. Which string comes out?
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>oboor</answer>")[1]
        1.0

    Source:
        Markov's normal algorithms (1954), restricted to rules that end. String manipulation by
        ordered rules as a task for language models is also found in other suites.
    """

    categories = ("normal_form", "steps")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw rules and strings until enough steps are made; the longest derivation else."""
        category = pick(rng, StringRewriteEnv.categories)
        level = min(difficulty, 20.0)
        least = min(MAX_STEPS, 1 + round_randomly(rng, 2 * level))
        count = min(MAX_RULES, 2 + round_randomly(rng, level / 2))
        length = min(MAX_STRING, 5 + round_randomly(rng, 2 * level))
        best: tuple[Rules, list[str]] = [], []
        tries = 0
        while not best[1] or (len(best[1]) <= least and tries < TRIES):
            tries += 1
            alphabet = sorted(sample_of(rng, ascii_lowercase, draw_int(rng, 3, 4)))
            string = _draw_string(rng, alphabet, length)
            rules = _draw_rules(rng, alphabet, string, count, category)
            strings = rewrite(rules, string, least if category == "steps" else MAX_STEPS + 1)
            fine = len(best[1]) < len(strings) <= MAX_STEPS + 1 and len(strings[-1]) >= SHORTEST
            if fine and len(strings) > 1:
                best = rules, strings
        return _problem(category, *best)

    read = staticmethod(plain)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return rules and string up to letters."""
        data = problem.data
        rules = [
            (f"rule {number}", tuple(left), tuple(right))
            for number, (left, right) in enumerate(data["rules"])
        ]
        start = ("start", tuple(data["string"]))
        return f"{data['steps']} steps: {key_up_to_names([*rules, start], ascii_lowercase)}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Rewrite by scanning places, until no rule applies or the steps are made."""
        string, steps = problem.data["string"], problem.data["steps"]
        while steps != 0 and (place := _first_place(problem.data["rules"], string)):
            at, left, right = place
            string = string[:at] + right + string[at + len(left) :]
            steps -= 1
        return str(string)

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the derivation up to a string with two letters exchanged."""
        return swap_letters(problem.solution, rng) or super().corrupt(problem, rng)

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Describe an answer with wrong letters, or one that a rule rewrites further."""
        given, rules = plain(answer), problem.data["rules"]
        letters = {*problem.data["string"], *"".join(left + right for left, right in rules)}
        if not set(given) <= letters:
            return "The answer has characters that neither the string nor a rule has."
        if problem.category == "normal_form" and _first_place(rules, given):
            return "A rule still applies to this string."
        return "This is not the string that comes out."


def rewrite(rules: Rules, string: str, limit: int) -> list[str]:
    """Return the string and the result of each step: at most `limit`, fewer if no rule applies."""
    strings = [string]
    while len(strings) <= limit:
        rule = next(((left, right) for left, right in rules if left in strings[-1]), None)
        if rule is None:
            break
        strings.append(strings[-1].replace(*rule, 1))
    return strings


def _first_place(rules: Rules, string: str) -> tuple[int, str, str] | None:
    """Return the place of the next step and its rule, found place by place."""
    for left, right in rules:
        for at in range(len(string) - len(left) + 1):
            if string.startswith(left, at):
                return at, left, right
    return None


def _draw_rules(
    rng: np.random.Generator, alphabet: list[str], string: str, count: int, category: str
) -> Rules:
    """Draw rules with different left sides, most of which occur in the string."""
    rules: dict[str, str] = {}
    while len(rules) < count:
        size = 2 if rng.random() < 0.7 else 3
        at = draw_int(rng, 0, len(string) - size)
        occurs = rng.random() < 0.7
        left = string[at : at + size] if occurs else _draw_string(rng, alphabet, size)
        right = _draw_string(rng, alphabet, size + draw_int(rng, -1, category == "steps"))
        if right != left and (category == "steps" or (len(right), right) < (len(left), left)):
            rules.setdefault(left, right)
    return [[left, right] for left, right in rules.items()]


def _draw_string(rng: np.random.Generator, alphabet: list[str], length: int) -> str:
    return "".join(pick(rng, alphabet) for _ in range(length))


def _problem(category: str, rules: Rules, strings: list[str]) -> Problem:
    steps = len(strings) - 1 if category == "steps" else -1
    listing = "\n".join(f"{n}. {left} -> {right}" for n, (left, right) in enumerate(rules, 1))
    end = "until no rule applies" if steps < 0 else f"{steps} time{'s' * (steps > 1)}"
    prompt = (
        f"Rules:\n{listing}\nOne step takes the first rule in this list whose left side occurs in "
        "the string,\nand replaces the leftmost occurrence of its left side by its right side.\n"
        f"Start with {strings[0]} and make such steps {end}. Which string comes out?"
    )
    return Problem(
        prompt=prompt,
        answer=strings[-1],
        solution="\n".join([*strings, f"The string that comes out is {strings[-1]}"]),
        distractors=_distractors(rules, strings),
        category=category,
        data={"rules": rules, "string": strings[0], "steps": steps},
        canonical=f"{steps} {strings[0]} {rules}",
    )


def _distractors(rules: Rules, strings: list[str]) -> tuple[str, ...]:
    """Make a step too few, turn the rules, swap two letters, or add a letter."""
    final, steps = strings[-1], len(strings) - 1
    return (
        strings[-2],
        rewrite(rules[::-1], strings[0], steps)[-1],
        f"{final[:-2]}{final[-1]}{final[-2]}",
        final + final[-1],
        strings[0],
    )
