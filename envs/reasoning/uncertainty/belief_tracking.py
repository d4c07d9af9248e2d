"""Belief tracking: beliefs after evidence, and beliefs of others who saw less.

Left out: tests of significance, unreliable witnesses, lies, and looking into containers.
"""

import numpy as np

from zerogym.envs.reasoning.answers import format_number, parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.listings import parse_words, unnumbered
from zerogym.envs.reasoning.renaming import key_up_to_names
from zerogym.envs.reasoning.uncertainty.belief_stories import (
    draw_story,
    last_witnessed,
    story_statements,
)
from zerogym.envs.reasoning.uncertainty.belief_updates import draw_update, update, update_statements

_FILLERS = frozenset(("in", "inside", "into", "the", "a", "and"))


class BeliefTrackingEnv(ReasoningEnv):
    """Keep track of beliefs: your own by Bayes' rule, and those of others by what they saw.

    Description:
        `posterior`: one of several bags was chosen, marbles are drawn from it, and the question is
        how probable a bag (from difficulty 2 on also: a colour of the next marble) is now.
        `false_belief`: people leave a room and come back while a thing is moved between closed
        containers; the question is where each of some people thinks that it is, or thinks that
        someone else thinks, and where it really is. Stories are redrawn if a shortcut gives the
        answer: all in the last or the first container, where it was when someone left, where
        someone put it, or what the first or the last of a chain of minds thinks.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line: a fraction or a decimal (`posterior`), or the
        names of containers in the order of the questions (`false_belief`).

    Reward:
        1 if the value is exactly right or all containers are right, else 0.

    Difficulty:
        `2 + difficulty / 2` bags and one more people (at most 6), `1 + difficulty` draws (at most
        6), `7 + 2 * difficulty` events in a story (at most 20); fractional parts are the chance of
        one more. From 1 on bags differ in their prior, there are questions on three minds instead
        of two, and one or more of them about another; from 2 on draws may be without replacement;
        from 3 on one or more are of third order.

    Example:
        >>> env = BeliefTrackingEnv(difficulty=0, category="posterior")
        >>> print(env.reset(seed=0)[0])
        One of these bags is chosen.
        Bag A: 9 red, 1 blue; chosen with probability 1/2.
        Bag B: 4 red, 6 blue; chosen with probability 1/2.
        Marbles drawn from the chosen bag: red. What is the probability that it is bag A?
        Answer with an exact fraction or an exact decimal.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>9/13</answer>")[1]
        1.0

    Source:
        The stories are of the kind of "Evaluating Theory of Mind in Question Answering" (2018,
        arXiv 1808.09352), after the Sally-Anne test of Baron-Cohen, Leslie and Frith (1985).
        Numbers, words and the rules that the prompt states are our choice.
    """

    categories = ("posterior", "false_belief")
    wrong = "The probability is wrong."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw bags and marbles, or a story."""
        draw = draw_update if rng.random() < 0.5 else draw_story
        return draw(rng, difficulty)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong value, or containers that do not follow from who saw what."""
        if problem.category == "posterior":
            value = parse_number(answer)
            if value is not None and not 0 <= value <= 1:
                return "This is no probability."
            return super().fault(problem, answer)
        places = {event[2] for event in problem.data["events"] if event[0] == "move"}
        found, right = _containers(answer), problem.answer.split(", ")
        if len(found) != len(right) or not places.issuperset(found):
            return f"These are not {len(right)} containers of the story."
        if found[-1] != right[-1]:
            return "That is not where it really is."
        return "" if found == right else "That is not what is believed by all who are asked about."

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the story or the bags up to names and order."""
        statements, names = (
            update_statements(problem.data)
            if problem.category == "posterior"
            else story_statements(problem.data)
        )
        return f"{problem.category}: {key_up_to_names(statements, names)}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Update after every single draw; or look back for the last moves that all witnessed."""
        if problem.category == "posterior":
            return format_number(update(problem.data))
        events, chains = problem.data["events"], problem.data["chains"]
        # Nobody at all has to see the last move for it to have been made.
        return ", ".join(events[last_witnessed(events, chain)][2] for chain in [*chains, []])


def _containers(answer: str) -> list[str]:
    words = parse_words(unnumbered(answer).replace(".", " ")) or ()
    return [word for word in words if word not in _FILLERS]
