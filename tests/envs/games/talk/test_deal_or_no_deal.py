"""Deal or no deal: a second implementation, Pareto set and Nash product by brute force."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import random_move
from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import make_opponent, uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.deal_or_no_deal import (
    DealOrNoDeal,
    egalitarian_division,
    nash_division,
    pareto_divisions,
)
from zerogym.errors import UnknownName

GAME = DealOrNoDeal()


def reference(
    counts: list[int], values: list[list[int]], talk: list[str], turns: int
) -> tuple[float, float] | None:
    """Payoffs after some moves in words, or None while the talk goes on."""
    proposal = None
    for number, message in enumerate(talk):
        if message == "accept":
            assert proposal is not None
            taken, proposer = proposal
            points = [0, 0]
            for kind, own in enumerate(taken):
                points[proposer] += values[proposer][kind] * own
                points[1 - proposer] += values[1 - proposer][kind] * (counts[kind] - own)
            return points[0], points[1]
        proposal = [int(word) for word in message.split()[1:]], number % 2
    return (0, 0) if len(talk) == turns else None


@cache
def all_values(counts: tuple[int, ...], total: int) -> list[list[tuple[int, ...]]]:
    """Pairs of vectors of the right total: each kind is worth something, and some kind to both."""
    vectors = [
        v
        for v in product(range(total + 1), repeat=len(counts))
        if sum(a * b for a, b in zip(v, counts, strict=True)) == total
    ]
    both = [[a, b] for a in vectors for b in vectors]
    return [p for p in both if min(map(max, zip(*p, strict=True))) > 0
            and max(map(min, zip(*p, strict=True))) > 0]  # fmt: skip


@pytest.mark.parametrize("counts", [(1, 2, 3), (2, 2), (1, 3, 2)])
def test_talks_end_as_those_of_the_reference(counts: tuple[int, ...]) -> None:
    game, rng = DealOrNoDeal(counts=counts), np.random.default_rng(0)
    deals, allowed = 0, {tuple(pair) for pair in all_values(counts, 10)}
    for _ in range(100):
        state, talk = deal(game, game.initial(), rng), []
        values = [list(game.vectors[number]) for number in state.deals]
        assert tuple(map(tuple, values)) in allowed
        while game.to_move(state) != TERMINAL:
            assert reference(list(counts), values, talk, game.turns) is None
            act = random_move(game, state, rng)
            if game.legal(state)[-1] == len(game.divisions) and rng.random() < 0.3:
                act = len(game.divisions)
            talk.append(game.action_name(state, act))
            state = game.apply(state, act)
        assert game.payoff(state) == reference(list(counts), values, talk, game.turns)
        deals += talk[-1] == "accept"
    assert 20 < deals < 95


def test_all_fitting_pairs_of_values_are_equally_likely() -> None:
    pairs = Counter[Any]()
    for first, p in GAME.chance(GAME.initial()):
        for second, q in GAME.chance(GAME.apply(GAME.initial(), first)):
            pairs[GAME.vectors[first], GAME.vectors[second]] += p * q
    assert set(pairs) == {tuple(pair) for pair in all_values((1, 2, 3), 10)}
    assert set(pairs.values()) == {Fraction(1, len(pairs))}


def test_pareto_set_and_nash_product_are_those_of_all_divisions() -> None:
    for values in all_values((1, 2, 3), 10)[::7]:
        state = GAME.initial()
        for vector in values:
            state = GAME.apply(state, GAME.vectors.index(vector))
        points = {
            taken: (np.dot(values[0], taken), np.dot(values[1], np.subtract((1, 2, 3), taken)))
            for taken in product(range(2), range(3), range(4))
        }
        undominated = []
        for taken, (a, b) in points.items():
            worse = [c >= a and d >= b and (c, d) != (a, b) for c, d in points.values()]
            if not any(worse):
                undominated.append(taken)
        assert pareto_divisions(GAME, state) == undominated
        best, value = nash_division(GAME, state)
        assert value == max(a * b for a, b in points.values()) == np.prod(points[best])
        assert best in undominated or value == 0
        assert value >= 25  # half of everything to both is within reach of some division


def test_a_best_answer_takes_what_the_scripted_player_leaves() -> None:
    small = DealOrNoDeal(counts=(1, 1), total=2, turns=3)
    assert small.enumerable and not GAME.enumerable
    rule, random = scripted_policy(small), uniform_policy(small)
    for seat in (0, 1):
        best = best_response(small, seat, rule)[1]
        profile = [rule, rule]
        assert best >= expected_payoffs(small, profile)[seat] - 1e-12
        profile[seat] = random  # type: ignore[call-overload]
        assert best > expected_payoffs(small, profile)[seat]


def test_words_alone_take_a_turn_and_leave_the_proposal_open() -> None:
    free: Any = DealOrNoDeal(messages="free")
    state = deal(free, free.initial(), np.random.default_rng(0))
    state = free.apply(state, free.parse(state, "<answer>take 0 1 1</answer>"))
    for words in ("Is that all?", "Yes."):
        state = free.apply(state, free.parse(state, f"<answer>{words}</answer>"))
    assert state.turns[1].act is None
    done = free.apply(state, free.parse(state, "<answer>Well then. [accept]</answer>"))
    assert free.to_move(done) == TERMINAL and free.offer(done) == (0, (0, 1, 1))
    assert free.payoff(done) == free.outcome(state, 0, (0, 1, 1))
    end = free.apply(state, Move(None, "No."))
    assert free.to_move(end) == TERMINAL and free.payoff(end) == (0.0, 0.0)


def test_fair_payoffs_are_the_same_for_both_and_greatest_at_their_solution() -> None:
    """By brute force over all divisions; one deal in two is closed by the first proposal."""
    solutions = {"egalitarian": egalitarian_division, "nash": nash_division}
    fair = {"egalitarian": min, "nash": lambda values: float(np.sqrt(values[0] * values[1]))}
    for name, solution in solutions.items():
        game = DealOrNoDeal(payoffs=name)  # type: ignore[arg-type]
        start = deal(game, game.initial(), np.random.default_rng(3))
        payoffs = {}
        for number, taken in enumerate(game.divisions):
            end = game.apply(game.apply(start, number), len(game.divisions))
            first, second = game.payoff(end)
            assert first == second == pytest.approx(fair[name](game.outcome(start, 0, taken)))
            payoffs[taken] = first
        assert payoffs[solution(game, start)[0]] == max(payoffs.values())
    with pytest.raises(UnknownName, match="egalitarian"):
        DealOrNoDeal(payoffs="egalitarien")  # type: ignore[arg-type]


@pytest.mark.proof
def test_searchers_with_fair_payoffs_divide_more_evenly() -> None:
    """FDHC in small: the smaller value in the same deals, relative to the best division."""
    smaller: dict[str, list[float]] = {"own": [], "egalitarian": []}
    for payoffs, found in smaller.items():
        game = DealOrNoDeal(payoffs=payoffs)  # type: ignore[arg-type]
        player: Any = make_opponent(game, "mcts:200")
        for number in range(30):
            rng = np.random.default_rng([number, 7])
            state = deal(game, game.initial(), rng)
            best = egalitarian_division(game, state)[1]
            while game.to_move(state) != TERMINAL:
                state = game.apply(state, player.choose(state, rng))
            closed = state.turns[-1].act == len(game.divisions)
            values = game.outcome(state, *game.offer(state)) if closed else (0.0, 0.0)  # type: ignore[misc]
            found.append(min(values) / best)
    gains = np.subtract(smaller["egalitarian"], smaller["own"])
    assert gains.mean() > 2 * gains.std() / np.sqrt(len(gains))
