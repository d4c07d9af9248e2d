"""Bayesian networks with whole weights, and two exact ways to query them: by eliminating variables
(with a protocol, for worked solutions) and by summing over all states.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import sample_of

WHOLE = 10  # each row of a table sums to this: probabilities are tenths

State = tuple[int, ...]


def draw_weights(rng: np.random.Generator, count: int) -> list[int]:
    """Draw positive weights that sum to `WHOLE`."""
    cuts = sorted(sample_of(rng, range(1, WHOLE), count - 1))
    return [high - low for low, high in pairwise([0, *cuts, WHOLE])]


@dataclass(frozen=True)
class Network:
    """A network over variables 0, 1, ... in an order in which parents come first.

    Attributes:
        sizes: Number of values of each variable.
        parents: Parents of each variable.
        tables: For each variable a row of weights for each state of its parents (the last parent
            changes fastest).
    """

    sizes: list[int]
    parents: list[list[int]]
    tables: list[list[list[int]]]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Network":
        """Read a network from the data of a problem."""
        return cls(data["sizes"], data["parents"], data["tables"])

    def cut(self, targets: Mapping[int, int]) -> "Network":
        """Return the network after an intervention: targets have no parents and certain values."""
        parents, tables = list(self.parents), list(self.tables)
        for target, value in targets.items():
            parents[target] = []
            tables[target] = [[WHOLE if v == value else 0 for v in range(self.sizes[target])]]
        return Network(self.sizes, parents, tables)

    def weight(self, state: State) -> int:
        """Return the weight of a full state: the product of one entry of each table."""
        found = 1
        for value, parents, table in zip(state, self.parents, self.tables, strict=True):
            row = 0
            for parent in parents:
                row = row * self.sizes[parent] + state[parent]
            found *= table[row][value]
        return found

    def ancestors(self, variables: list[int]) -> list[int]:
        """Return the variables and all that they descend from, in order."""
        found = set(variables)
        for variable in reversed(range(len(self.sizes))):
            if variable in found:
                found.update(self.parents[variable])
        return sorted(found)


def chance_by_states(
    network: Network, query: tuple[int, int], evidence: Mapping[int, int]
) -> Fraction | None:
    """Sum the weights of all states that agree with the evidence; None if there is none."""
    variable, value = query
    choices = [range(size) for size in network.sizes]
    for known, fact in evidence.items():
        choices[known] = range(fact, fact + 1)
    weights = [0] * network.sizes[variable]
    for state in product(*choices):
        weights[state[variable]] += network.weight(state)
    return Fraction(weights[value], sum(weights)) if any(weights) else None


@dataclass(frozen=True)
class _Factor:
    """Weights by the values of some variables; weights are in units of `10 ** -scale`."""

    variables: tuple[int, ...]
    weights: dict[State, int]
    scale: int


def chance_by_elimination(
    network: Network, query: tuple[int, int], evidence: Mapping[int, int], names: str
) -> tuple[Fraction, list[str]]:
    """Sum out one variable after the other; the steps name each table that comes up."""
    variable, value = query
    relevant = network.ancestors([variable, *evidence])
    factors = [_factor_of(network, v, evidence) for v in relevant]
    steps = []
    if len(relevant) < len(network.sizes):
        steps.append(f"Only {', '.join(names[v] for v in relevant)} matter.")
    for hidden in [v for v in relevant if v != variable and v not in evidence]:
        touched = [factor for factor in factors if hidden in factor.variables]
        factors = [factor for factor in factors if hidden not in factor.variables]
        joined = _multiply(touched, network.sizes)
        factors.append(_sum_out(joined, hidden))
        steps.append(f"Sum out {names[hidden]}: {_show(factors[-1], names)}")
    last = _multiply(factors, network.sizes)
    weights = last.weights
    steps.append(f"All that is left, multiplied: {_show(last, names)}")
    part, whole = weights[(value,)], sum(weights.values())
    steps.append(f"{part} of {part} + {whole - part} = {whole}, so the probability is")
    return Fraction(part, whole), steps


def _factor_of(network: Network, variable: int, evidence: Mapping[int, int]) -> _Factor:
    """Return the table of a variable where it agrees with the evidence."""
    scope = [*network.parents[variable], variable]
    kept = tuple(v for v in scope if v not in evidence)
    weights: dict[State, int] = {}
    for row, parents in enumerate(product(*(range(network.sizes[p]) for p in scope[:-1]))):
        for value, weight in enumerate(network.tables[variable][row]):
            state = dict(zip(scope, (*parents, value), strict=True))
            if all(evidence.get(v, x) == x for v, x in state.items()):
                weights[tuple(state[v] for v in kept)] = weight
    return _Factor(kept, weights, 1)


def _multiply(factors: list[_Factor], sizes: list[int]) -> _Factor:
    scope = tuple(sorted({v for factor in factors for v in factor.variables}))
    places = [[scope.index(v) for v in factor.variables] for factor in factors]
    weights = {
        state: prod(
            factor.weights[tuple(state[i] for i in place)]
            for factor, place in zip(factors, places, strict=True)
        )
        for state in product(*(range(sizes[v]) for v in scope))
    }
    return _Factor(scope, weights, sum(factor.scale for factor in factors))


def _sum_out(factor: _Factor, variable: int) -> _Factor:
    place = factor.variables.index(variable)
    weights: dict[State, int] = {}
    for state, weight in factor.weights.items():
        rest = state[:place] + state[place + 1 :]
        weights[rest] = weights.get(rest, 0) + weight
    kept = factor.variables[:place] + factor.variables[place + 1 :]
    return _Factor(kept, weights, factor.scale)


def _show(factor: _Factor, names: str) -> str:
    if not factor.variables:
        return f"{factor.weights[()]} / 10^{factor.scale}"
    head = ",".join(names[v] for v in factor.variables)
    cells = ", ".join(f"{','.join(map(str, s))}: {w}" for s, w in factor.weights.items())
    return f"f({head}) = {{{cells}}} / 10^{factor.scale}"
