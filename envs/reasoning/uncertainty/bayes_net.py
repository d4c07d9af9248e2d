"""Bayesian networks: seeing and doing, exact by enumeration.

Left out: counterfactuals, hidden confounders (whether an effect can be identified), and more than
one intervention at a time.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from zerogym.envs.reasoning.answers import format_number, parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.renaming import Bag, Term, key_up_to_names
from zerogym.envs.reasoning.uncertainty.networks import (
    Network,
    chance_by_elimination,
    chance_by_states,
    draw_weights,
)

NAMES = "ABCDEFGH"
MAX_VARIABLES = 7
MAX_PARENTS = 2
TRIES = 30  # for an intervention that differs from an observation
EFFECT_SHARE = 0.75  # of interventions that change the probability in question


class BayesNetEnv(ReasoningEnv):
    """Find a probability in a small Bayesian network, after seeing or after doing something.

    Description:
        The tables of a network of variables with two or three values are written in the prompt.
        `association` is about a probability given observed values, `intervention` about one after a
        variable was set from outside, which cuts it from its causes (Pearl's do operator), perhaps
        with an observation. Networks are redrawn (30 times at most) until doing gives another
        probability than seeing, and until observations change the probability; a quarter of the
        interventions have no effect on it.

    Observation:
        The network and the question as text.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line; it is a fraction or a decimal.

    Reward:
        1 if the value is exactly right, else 0.

    Difficulty:
        `2 + difficulty` variables, one more for interventions (a fractional part is the chance of
        one more, at most 7), each with up to two parents. From 2 on variables may have three
        values, and more than one may be observed.

    Example:
        >>> env = BayesNetEnv(difficulty=0, category="association")
        >>> print(env.reset(seed=0)[0])
        A Bayesian network; the parents of a variable are its causes. Each line gives
        the probabilities of the values of a variable, in order.
        P(A=0, 1) = 0.1, 0.9
        P(B=0, 1 | A=0) = 0.8, 0.2
        P(B=0, 1 | A=1) = 0.3, 0.7
        B=1 is observed. What is P(A=0 | B=1)?
        Answer with an exact fraction or an exact decimal.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>2/65</answer>")[1]
        1.0

    Source:
        The two tasks on causality of "Reasoning Core: A Scalable RL Environment for LLM Symbolic
        Reasoning" (2025, arXiv 2509.18083); networks in tenths and exact answers are our choice.
        The do operator: "Causality" (Pearl, 2000).
    """

    categories = ("association", "intervention")
    wrong = "The probability is wrong."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a network and a question; the answer comes from eliminating variables."""
        category = pick(rng, BayesNetEnv.categories)
        is_doing, has_effect = category == "intervention", rng.random() < EFFECT_SHARE
        count = round_randomly(rng, min(2 + difficulty, float(MAX_VARIABLES - is_doing))) + is_doing
        for _ in range(TRIES):
            network = _draw_network(rng, count, 3 if difficulty >= 2 else 2)
            if is_doing:
                question = _draw_intervention(rng, network, difficulty, has_effect)
            else:
                question = _draw_association(rng, network, difficulty)
            doing, seeing, query = question
            given = doing | seeing
            if_observed = chance_by_states(network, query, given)
            before = chance_by_states(network, query, seeing if is_doing else {})
            chance = chance_by_states(network.cut(doing), query, given)
            moved = chance != before
            if moved if not is_doing else chance != if_observed and moved == has_effect:
                break
        chance, steps = chance_by_elimination(network.cut(doing), query, given, NAMES)
        wrong = [if_observed, before, 1 - chance, chance / 2, (1 + chance) / 2]
        return _write(network, question, chance, steps, category, wrong)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return network and question up to the names of variables."""
        data = problem.data
        names = NAMES[: len(data["sizes"])]
        statements: list[Term] = []
        for name, parents, table in zip(names, data["parents"], data["tables"], strict=True):
            states = product(*(range(data["sizes"][parent]) for parent in parents))
            for state, weights in zip(states, table, strict=True):
                causes = Bag(zip((names[p] for p in parents), state, strict=True))
                statements.append(("row", name, causes, tuple(weights)))
        facts = [("doing", pair) for pair in data["doing"]]
        facts += [("seeing", pair) for pair in data["seeing"]]
        for kind, (variable, value) in [*facts, ("query", data["query"])]:
            statements.append((kind, names[variable], value))
        return key_up_to_names(statements, names)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Sum over all states of the network, cut where it was set from outside."""
        data = problem.data
        network = Network.read(data).cut(dict(data["doing"]))
        return format_number(_chance(network, data) or Fraction(0))

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Name the confusion of seeing and doing, where that is the mistake."""
        data, value = problem.data, parse_number(answer)
        if value is not None and data["doing"] and value == _chance(Network.read(data), data):
            return "This is the probability after seeing the value, not after setting it."
        return cls.fault(problem, answer)


def _chance(network: Network, data: Mapping[str, Any]) -> Fraction | None:
    variable, value = data["query"]
    return chance_by_states(network, (variable, value), dict(data["doing"]) | dict(data["seeing"]))


Question = tuple[dict[int, int], dict[int, int], tuple[int, int]]  # doing, seeing, query


def _draw_network(rng: np.random.Generator, count: int, most_values: int) -> Network:
    """Draw variables, each with up to two earlier ones as parents, and rows of tenths."""
    sizes: list[int] = []
    parents: list[list[int]] = []
    tables: list[list[list[int]]] = []
    for variable in range(count):
        size = 3 if most_values == 3 and rng.random() < 0.25 else 2
        number = min(variable, 1 + (rng.random() < 0.5), MAX_PARENTS)
        chosen = sorted(sample_of(rng, range(variable), number))
        rows = prod(sizes[parent] for parent in chosen)
        sizes.append(size)
        parents.append(chosen)
        tables.append([draw_weights(rng, size) for _ in range(rows)])
    return Network(sizes, parents, tables)


def _draw_value(rng: np.random.Generator, network: Network, variable: int) -> int:
    return draw_int(rng, 0, network.sizes[variable] - 1)


def _draw_association(rng: np.random.Generator, network: Network, difficulty: float) -> Question:
    """Draw one observed variable, or more from difficulty 2 on, and another one as query."""
    count = len(network.sizes)
    most = 1 if difficulty < 2 else draw_int(rng, 1, min(3, count - 1))
    query, *observed = sample_of(rng, range(count), 1 + most)
    seeing = {v: _draw_value(rng, network, v) for v in sorted(observed)}
    return {}, seeing, (query, _draw_value(rng, network, query))


def _draw_intervention(
    rng: np.random.Generator, network: Network, difficulty: float, has_effect: bool
) -> Question:
    """Set a variable with causes; another is the query, and perhaps a third one is observed."""
    last = len(network.sizes) - 1
    target = draw_int(rng, 1, last - 1 if has_effect else last)
    others = [v for v in range(last + 1) if v != target]
    query = pick(rng, others[target:] if has_effect else others)  # effects come after causes
    seeing = {}
    third = pick(rng, [v for v in others if v != query])
    if difficulty >= 2 and rng.random() < 0.5:
        seeing[third] = _draw_value(rng, network, third)
    doing = {target: _draw_value(rng, network, target)}
    return doing, seeing, (query, _draw_value(rng, network, query))


def _write(
    network: Network,
    question: Question,
    chance: Fraction,
    steps: list[str],
    category: str,
    wrong: list[Fraction | None],
) -> Problem:
    """Write the problem as text and data."""
    doing, seeing, (query, value) = question
    lines = [row for v, size in enumerate(network.sizes) for row in _table(network, v, size)]
    conditions = [f"do({NAMES[v]}={x})" for v, x in doing.items()]
    conditions += [f"{NAMES[v]}={x}" for v, x in seeing.items()]
    formula = f"P({NAMES[query]}={value} | {', '.join(conditions)})"
    facts = [f"{NAMES[v]} is set to {x} from outside" for v, x in doing.items()]
    facts += [f"{NAMES[v]}={x} is observed" for v, x in seeing.items()]
    text = "\n".join(lines)
    if doing:
        cut = NAMES[next(iter(doing))]
        steps = [f"Setting {cut} cuts it from its parents; it is a constant.", *steps]
    data = {
        **vars(network),
        "doing": list(map(list, doing.items())),
        "seeing": list(map(list, seeing.items())),
        "query": [query, value],
    }
    return Problem(
        prompt=(
            "A Bayesian network; the parents of a variable are its causes. Each line gives\n"
            f"the probabilities of the values of a variable, in order.\n{text}\n"
            f"{' and '.join(facts)}. What is {formula}?\n"
            "Answer with an exact fraction or an exact decimal."
        ),
        answer=format_number(chance),
        solution="\n".join([*steps, f"{formula} = {format_number(chance)}"]),
        distractors=tuple(format_number(w) for w in wrong if w is not None),
        category=category,
        data=data,
        canonical=f"{text} {formula}",
    )


def _table(network: Network, variable: int, size: int) -> list[str]:
    """Return the table of a variable in lines such as `P(C=0, 1 | A=0, B=1) = 0.2, 0.8`."""
    name, parents = NAMES[variable], network.parents[variable]
    values = ", ".join(map(str, range(size)))
    states = product(*(range(network.sizes[parent]) for parent in parents))
    lines = []
    for state, weights in zip(states, network.tables[variable], strict=True):
        causes = ", ".join(f"{NAMES[p]}={value}" for p, value in zip(parents, state, strict=True))
        chances = ", ".join(f"0.{weight}" for weight in weights)
        lines.append(f"P({name}={values}{' | ' if causes else ''}{causes}) = {chances}")
    return lines
