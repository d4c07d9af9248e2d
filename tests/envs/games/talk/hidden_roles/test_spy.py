"""The spy game: rewards by the sums of the source, Bayes by enumeration, roles, faults of votes."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pettingzoo
import pytest

from helpers.games.positions import after, random_move
from zerogym.envs.games.core.game import CHANCE, TERMINAL, deal
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.core.surveys import exact_belief
from zerogym.envs.games.talk.hidden_roles.spy import Spy, SpyEnv
from zerogym.envs.games.talk.hidden_roles.spy_players import LAPSE, SpyPlayer, spy_belief

SMALL = Spy(players=3, rounds=1, places=2, colours=2, shapes=1)


def source_rewards(votes: list[int | None], spy: int, beta: float, weight: float) -> list[float]:
    """The reward of clues by the sums of the paper: votes of all but the spy, their mean."""
    players = len(votes)
    counts = Counter(vote for voter, vote in enumerate(votes) if voter != spy)
    others = [seat for seat in range(players) if seat != spy]
    mean = sum(counts[seat] for seat in others) / len(others)
    pull = counts[spy] - mean
    return [
        -beta * pull if seat == spy else beta / len(others) * pull - weight * (counts[seat] - mean)
        for seat in range(players)
    ]


def played(game: Spy, spy: int, votes: list[int | None]) -> Any:
    """A game with anything said, and these votes."""
    state = game.initial()
    for thing in (
        [0] * game.places + [spy] + [1] * game.changes + [0] * (game.places - game.changes)
    ):
        state = game.apply(state, thing)
    for _ in range(game.players * game.rounds):
        state = game.apply(state, game.num_clues - 1)
    for vote in votes:
        state = game.apply(state, game.num_clues + (game.players if vote is None else vote))
    assert game.to_move(state) == TERMINAL
    return state


@pytest.mark.parametrize("players", [3, 4])
def test_rewards_are_the_sums_of_the_source_and_add_up_to_nothing(players: int) -> None:
    game = Spy(players=players, rounds=1, shared=0.25, single=0.5)
    low, high = game.payoff_range
    found: list[float] = []
    for spy in range(players):
        choices = [[*range(players), None]] * players
        for votes in product(*choices):
            if any(voter == vote for voter, vote in enumerate(votes)):
                continue
            rewards = game.payoff(played(game, spy, list(votes)))
            assert rewards == pytest.approx(source_rewards(list(votes), spy, 0.25, 0.5))
            assert sum(rewards) == pytest.approx(0, abs=1e-12)
            found += rewards
    assert (min(found), max(found)) == pytest.approx((low, high))


def test_a_vote_is_right_wrong_or_none_and_that_of_the_spy_does_not_count() -> None:
    game = Spy(reward="votes", rounds=1)
    state = played(game, 2, [2, None, 0, 1])
    assert game.payoff(state) == (1.0, -0.5, 0.0, -1.0)
    assert not game.zero_sum and Spy().zero_sum
    assert [game.facts(state, seat).get("vote") for seat in range(4)] == [
        "right", "none", None, "wrong",
    ]  # fmt: skip
    for other in (0, 1, 3, None):
        assert Spy(rounds=1).payoff(played(Spy(rounds=1), 2, [2, None, other, 1])) == Spy(
            rounds=1
        ).payoff(played(Spy(rounds=1), 2, [2, None, 0, 1]))


@pytest.mark.parametrize("changes", [0, 1, 2, 3])
def test_all_scenes_with_so_many_changes_are_equally_likely(changes: int) -> None:
    game = Spy(players=3, colours=2, shapes=1, changes=changes)
    law: Counter[tuple[int, ...]] = Counter()
    states = [(game.initial(), Fraction(1))]
    while states:
        state, weight = states.pop()
        if game.to_move(state) != CHANCE:
            law[state.deals] += weight  # type: ignore[assignment]
            continue
        states += [(game.apply(state, act), weight * p) for act, p in game.chance(state)]
    expected = set()
    for scene, spy in product(product((0, 1), repeat=3), range(3)):
        for places in combinations(range(3), changes):
            other = [1 - thing if place in places else thing for place, thing in enumerate(scene)]
            expected.add((*scene, spy, *(other if changes else ())))
    assert set(law) == expected and set(law.values()) == {Fraction(1, len(expected))}


def hypotheses(scene: tuple[int, ...], seat: int = 0) -> list[tuple[int, tuple[int, ...]]]:
    """The possible spies beside a seat, with what each sees, for the small game."""
    others = ((1 - scene[0], scene[1]), (scene[0], 1 - scene[1]))
    return [(spy, one) for spy in range(3) if spy != seat for one in others]


def chance_of(clue: int, said: list[tuple[int, int]], seat: int, scene: Any, is_spy: bool) -> float:
    """The law of honest talk in the small game, with clues `2 * place + colour`, and 4 for none."""
    others = [one for who, one in said if who != seat]
    if is_spy and others:
        fit = others.count(clue) / len(others)
    else:
        fit = 0.5 * (clue < 4 and scene[clue // 2] == clue % 2)
    return (1 - LAPSE) * fit + LAPSE / 5


def accuracy(rounds: int, scene: tuple[int, int] = (0, 0)) -> float:
    """The share of right votes of the best voter in seat 0, over all talks of the small game."""

    def walk(said: list[tuple[int, int]], weights: list[float]) -> float:
        if len(said) == 3 * rounds:
            return max(weights[0] + weights[1], weights[2] + weights[3])
        seat, total = len(said) % 3, 0.0
        for clue in range(5):
            following = [
                weight * chance_of(clue, said, seat, other if seat == spy else scene, seat == spy)
                for weight, (spy, other) in zip(weights, hypotheses(scene), strict=True)
            ]
            total += walk([*said, (seat, clue)], following)
        return total

    return walk([], [0.25] * 4)


def test_the_voter_by_bayes_is_as_right_as_the_best_and_more_so_with_more_clues() -> None:
    once, twice = accuracy(1), accuracy(2)
    assert 0.5 < once < twice < 1
    # The expected reward of votes says how often the scripted voter in seat 0 is right.
    game = Spy(players=3, rounds=1, places=2, colours=2, shapes=1, reward="votes")
    honest = SpyPlayer(game)
    mean = expected_payoffs(game, [honest] * 3)[0]
    # The spy in a third of the games, with 0; else 1 or -1, and it never abstains.
    assert mean == pytest.approx((2 * once - 1) * 2 / 3)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_beliefs_are_those_of_two_enumerations(seat: int) -> None:
    rng, checked = np.random.default_rng(seat), 0
    profile = [SpyPlayer(SMALL)] * 3
    while checked < 12:
        state = deal(SMALL, SMALL.initial(), rng)
        for _ in range(int(rng.integers(4))):
            state = SMALL.apply(state, random_move(SMALL, state, rng))
        if SMALL.spy(state) == seat:
            assert SMALL.survey(state, seat) is None
            continue
        belief, others = spy_belief(SMALL, state, seat), [each for each in range(3) if each != seat]
        assert belief[seat] == 0
        own = [belief[other] for other in others]
        assert own == pytest.approx(exact_belief(SMALL, state, seat, profile))
        scene: Any = SMALL.scene(state, seat)
        weights = dict.fromkeys(others, 0.0)
        for spy, other in hypotheses(scene, seat):
            weight, said = 1.0, list[tuple[int, int]]()
            for turn in state.turns:
                if turn.seat != seat:  # whose own clues say nothing to itself
                    view = other if turn.seat == spy else scene
                    weight *= chance_of(turn.act or 0, said, turn.seat, view, turn.seat == spy)
                said.append((turn.seat, turn.act or 0))
            weights[spy] += weight
        assert own == pytest.approx([w / sum(weights.values()) for w in weights.values()])
        checked += 1


def rate(game: Spy, player: Any, games: int) -> float:
    """The share of votes for the spy, of all but the spy."""
    rng, right = np.random.default_rng(1), 0
    for _ in range(games):
        state = deal(game, game.initial(), rng)
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, player.choose(state, rng))
        spy = game.spy(state)
        right += sum(v == spy for seat, v in enumerate(game.votes(state)) if seat != spy)
    return right / games / (game.players - 1)


def test_random_voters_find_the_spy_by_chance_and_the_scripted_ones_as_their_page_says() -> None:
    game = Spy(players=3, rounds=1, places=1, colours=2, shapes=1, reward="votes")
    mean = expected_payoffs(game, [uniform_policy(game)] * 3)
    assert mean == pytest.approx(
        [2 / 3 * (1 - 1 - 0.5) / 3] * 3
    )  # right, wrong or none, a third each
    assert rate(Spy(), scripted_policy(Spy()), 150) == pytest.approx(0.91, abs=0.04)
    for talk in ("vague", "random"):
        assert rate(Spy(), SpyPlayer(Spy(), talk), 100) == pytest.approx(1 / 3, abs=0.08)
    with pytest.raises(ValueError, match="talk must be one of"):
        SpyPlayer(Spy(), "loud")


def test_roles_are_those_of_the_phase_and_the_picture_is_the_own_scene() -> None:
    env: Any = pettingzoo.make("aec", "zerogym/spy-v0", view="text", rounds=1)
    env.reset(seed=3)
    roles = []
    while not any(env.terminations.values()):
        seat = env.agent_selection
        roles.append(env.infos[seat]["role"])
        env.step("<answer>left is red</answer>" if len(roles) <= 4 else "<answer>abstain</answer>")
    spy = env.unwrapped.game.spy(env.unwrapped._match.state)
    expected = ["civilian"] * 4 + ["voter"] * 4
    expected[spy], expected[4 + spy] = "spy", "decoy"
    assert roles == expected
    votes = [env.infos[agent].get("vote") for agent in env.possible_agents]
    assert votes == [None if seat == spy else "none" for seat in range(4)]
    single = SpyEnv(render_mode="rgb_array", changes=3, seat=2)
    single.reset(seed=3)
    state = single.get_state()["episode"].state
    assert (single.render() == single.game.drawing(state, 2)).all()
    assert single.render().shape == (48, 144, 3)
    hidden = single.game.spy(state)
    for a, b in permutations(range(4), 2):
        drawn = [single.game.drawing(state, seat) for seat in (a, b)]
        assert (drawn[0] == drawn[1]).all() == (hidden not in (a, b))


def test_words_count_where_they_name_one_thing_and_the_spy_repeats_what_others_say() -> None:
    free: Any = Spy(players=3, rounds=1, messages="free")
    state = free.initial()
    for thing in (0, 4, 8, 1, 0, 4, 7):
        state = free.apply(state, thing)
    state = free.apply(state, Move(None, "The left one? Red, I think."))
    assert free.clues(state) == [(0, 0)]
    rule = scripted_policy(free)
    law = dict(zip(free.legal(state), rule.probabilities(state), strict=True))
    assert free.action_name(state, max(law, key=law.__getitem__)) == "left is red"
    for words in ("red or green on the left", "left and right are red", "a nice scene"):
        assert free.clues(free.apply(state, Move(None, words))) == [(0, 0)], words
    state = after(free, ["I see 3 things", "right is blue"], state)
    assert spy_belief(free, state, 0)[1] > 0.9, "nobody says nothing of a scene that it sees"


def test_a_number_is_a_vote_as_in_the_source_where_it_is_no_place_of_a_list() -> None:
    for messages, vote in (("templates", "vote player 3"), ("free", "vote player 3"),
                           ("numbers", "abstain")):  # fmt: skip
        game: Any = Spy(players=3, rounds=1, messages=messages)
        state = deal(game, game.initial(), np.random.default_rng(0))
        assert game.parse(state, "<answer>19</answer>") == (18 if messages == "numbers" else None
            if messages == "templates" else Move(None, "19"))  # fmt: skip
        for _ in range(3):
            state = game.apply(state, 0)
        act = game.parse(state, "I think <answer>3</answer>")
        assert game.action_name(state, act) == vote
        assert game.parse(state, "<answer>4</answer>") is None
    act = Spy(players=3, rounds=1).parse(state, "<answer>N/A</answer>")
    assert act is not None and game.action_name(state, act) == "abstain"
    assert Spy(players=3, rounds=1).parse(state, "<answer>1</answer>") is None, "not for itself"


@pytest.mark.parametrize(
    "reply",
    ["<answer>vote player 9</answer>", "<answer>vote player 1</answer>", "", "<answer></answer>",
     "<answer>left is red</answer>", "<answer>vote</answer>", "[player 2: abstain]",
     "<answer>vote player 2 and abstain</answer>"],
)  # fmt: skip
def test_a_vote_for_nobody_for_itself_or_a_clue_in_its_place_is_a_scored_fault(reply: str) -> None:
    env = SpyEnv(seat=0, rounds=1, messages="free", max_retries=1)
    env.reset(seed=1)
    env.step("<answer>left is red</answer>")
    _, reward, over, _, info = env.step(reply)
    assert info["void_turn"] and not over and reward == 0
    _, reward, over, _, info = env.step(reply)
    assert over and reward == env.game.payoff_range[0] and info["score"] == 0
    assert "forfeit" in info["feedback"]
