"""Belief tracking: what to believe after evidence, and what others believe who saw less.

Left out: tests of significance, unreliable witnesses, lies, and looking into containers.
"""

from fractions import Fraction

import numpy as np

from zerogym.envs.reasoning.answers import format_number, parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.listings import plain
from zerogym.envs.reasoning.uncertainty.belief_stories import draw_story, last_seen
from zerogym.envs.reasoning.uncertainty.belief_updates import draw_update, update

_FILLERS = frozenset(("in", "inside", "into", "the", "a"))


class BeliefTrackingEnv(ReasoningEnv):
    """Keep track of beliefs: your own by Bayes' rule, and those of others by what they saw.

    Description:
        `posterior`: one of several bags was chosen, marbles are drawn from it, and the question is
        how probable a bag (from difficulty 2 on also: a colour of the next marble) is now.
        `false_belief`: people leave a room and come back while a thing is moved between closed
        containers; the question is where someone thinks that it is, or thinks that someone else
        thinks. In half of the stories that is not where it is.

    Observation:
        The question as text.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line: a fraction or a decimal (`posterior`), or the name of a
        container (`false_belief`).

    Reward:
        1 if the value is exactly right or the container is the right one, else 0.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        `2 + difficulty / 2` bags or people (at most 6), `1 + difficulty` draws (at most 6),
        `2 + 2 * difficulty` events in a story (at most 20); fractional parts are the chance of one
        more. From 1 on bags differ in their prior and beliefs about beliefs are asked for, from 2
        on draws may be without replacement, from 3 on there are beliefs of third order.

    Arguments:
        `difficulty` (default 1), `split`, `category` (`posterior` or `false_belief`),
        `max_attempts` (default 1), `render_mode`: see `ReasoningEnv`.

    Example:
        >>> env = BeliefTrackingEnv(difficulty=0, category="posterior")
        >>> print(env.reset(seed=0)[0])
        One of these bags is chosen.
        Bag A: 4 red, 6 blue; chosen with probability 1/2.
        Bag B: 7 red, 3 blue; chosen with probability 1/2.
        Marbles drawn from the chosen bag: blue. What is the probability that it is bag A?
        Answer with an exact fraction or an exact decimal.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>2/3</answer>")[1]
        1.0

    Source:
        The stories are of the kind of "Evaluating Theory of Mind in Question Answering" (2018,
        arXiv 1808.09352), after the Sally-Anne test of Baron-Cohen, Leslie and Frith (1985).
        Numbers, words and the rules that the prompt states are our choice.
    """

    categories = ("posterior", "false_belief")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw bags and marbles, or a story."""
        draw = draw_update if rng.random() < 0.5 else draw_story
        return draw(rng, difficulty)

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 for the exact value, or for the container with or without `in the` before it."""
        if problem.category == "posterior":
            return float(parse_number(answer) == Fraction(problem.answer))
        words = plain(answer).split()
        while words and words[0] in _FILLERS:
            del words[0]
        return float(words == [problem.answer])

    @staticmethod
    def solve(problem: Problem) -> str:
        """Update after every single draw; or look back for the last move that all have seen."""
        if problem.category == "posterior":
            return format_number(update(problem.data))
        events: list[list[str]] = problem.data["events"]
        return events[last_seen(events, problem.data["chain"])][2]

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Says whether the answer is of the asked kind, and whether it ignores who saw what."""
        if problem.category == "posterior":
            value = parse_number(answer)
            if value is None:
                return "The answer is not a number."
            return "The probability is wrong." if 0 <= value <= 1 else "This is no probability."
        moves = [event[2] for event in problem.data["events"] if event[0] == "move"]
        words = plain(answer).split()
        if not words or words[-1] not in moves:
            return "That is no container of the story."
        if words[-1] == moves[-1]:
            return "It is there, but not all who are asked about have seen that."
        return "That is not what is believed."
