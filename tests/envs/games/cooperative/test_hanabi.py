"""Hanabi: what hints leave open, both endings, hidden cards, redrawn hands, and the players."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pettingzoo
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.games.matches import play
from helpers.games.positions import after, load_spiel, names, random_move
from zerogym.envs.games.cooperative.hanabi import Hanabi, HanabiEnv
from zerogym.envs.games.cooperative.hanabi_cards import full_deck, redrawn
from zerogym.envs.games.core.game import CHANCE, TERMINAL, deal
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy


def dealt(game: Hanabi, *cards: int) -> Any:
    """The state after these outcomes of chance, and random ones until a seat moves."""
    state = game.initial()
    for card in cards:
        state = game.apply(state, card)
    return deal(game, state, np.random.default_rng(0))


@pytest.mark.parametrize(
    "parameters",
    [{"players": 2}, {"players": 3}, {"players": 5, "colors": 3, "ranks": 4, "hand_size": 3}],
)
def test_hints_leave_open_what_openspiel_says(parameters: dict[str, Any]) -> None:
    """Hands, what their holders know, tokens, fireworks and discards, at every step of play."""
    game, rng = Hanabi(**parameters, max_life_tokens=9), np.random.default_rng(0)
    theirs = load_spiel("hanabi", **parameters, max_life_tokens=9)
    for _ in range(8):
        state, other = game.initial(), theirs.new_initial_state()
        while game.to_move(state) != TERMINAL:
            action = random_move(game, state, rng)
            state, _ = game.apply(state, action), other.apply_action(action)
            lines = str(other).splitlines()
            ours = [
                f"{'RYGWB'[card // game.ranks]}{card % game.ranks + 1}|"
                + "".join(c for n, c in enumerate("RYGWB") if colours >> n & 1)
                + "".join(str(r + 1) for r in range(game.ranks) if ranks >> r & 1)
                for hand, known in zip(state.hands, state.known, strict=True)
                for card, (colours, ranks) in zip(hand, known, strict=True)
            ]
            assert ours == [f"{line[:2]}|{line.split('|')[-1]}" for line in lines if "||" in line]
            assert lines[0] == f"Life tokens: {state.lives}"
            assert lines[1] == f"Info tokens: {state.tokens}"
            built = [int(word[1:]) for word in lines[2].split()[1:]]
            assert built == list(state.fireworks)
            gone = Counter(lines[-1].split()[1:])
            assert sum(gone.values()) == sum(state.discards)
            assert all(
                state.discards["RYGWB".index(card[0]) * game.ranks + int(card[1]) - 1] == count
                for card, count in gone.items()
            )
        assert other.is_terminal()


def test_no_own_card_and_no_card_of_the_deck_is_in_an_observation() -> None:
    game, rng = Hanabi(players=3, max_life_tokens=9), np.random.default_rng(0)
    changed = 0
    for _ in range(6):
        state = game.initial()
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, random_move(game, state, rng))
            if game.to_move(state) == CHANCE:
                continue
            for seat in range(3):
                other = game.resample(state, seat, rng)
                changed += other.hands != state.hands
                assert other.hands[:seat] == state.hands[:seat]
                assert game.describe(other, seat) == game.describe(state, seat)
                assert (game.observe(other, seat) == game.observe(state, seat)).all()
                assert game.info_key(other, seat) == game.info_key(state, seat)
                cards = np.add(other.deck, other.discards)
                for hand in other.hands:
                    cards = cards + np.bincount(hand, minlength=25)
                for colour, height in enumerate(other.fireworks):
                    cards[5 * colour : 5 * colour + height] += 1
                assert tuple(cards) == full_deck(5, 5), "no card is made or lost"
    assert changed > 300


def test_redrawn_hands_are_as_likely_as_dealing_makes_them() -> None:
    known, unseen = [(0b01, 0b111), (0b11, 0b001), (0b11, 0b111)], [2, 1, 0, 1, 1, 1]
    exact: Counter[tuple[int, ...]] = Counter()
    for hand in product(range(6), repeat=3):
        fits = all(
            c >> k // 3 & 1 and r >> k % 3 & 1 for k, (c, r) in zip(hand, known, strict=True)
        )
        left, weight = list(unseen), int(fits)
        for kind in hand:
            weight *= left[kind]
            left[kind] -= 1
        if weight > 0:
            exact[hand] = weight
    rng, draws = np.random.default_rng(0), 6000
    found = Counter(redrawn(known, unseen, 3, rng) for _ in range(draws))
    assert set(found) == set(exact)
    expected = {hand: draws * weight / exact.total() for hand, weight in exact.items()}
    distance = sum((found[hand] - mean) ** 2 / mean for hand, mean in expected.items())
    assert distance < len(exact) - 1 + 4 * (2 * (len(exact) - 1)) ** 0.5  # chi-square


def test_mistakes_end_the_game_and_take_the_points() -> None:
    for zero, points in ((True, 0.0), (False, 1.0)):
        game = Hanabi(colors=1, hand_size=2, max_life_tokens=2, zero_if_lost=zero)
        state = dealt(game, 0, 4, 2, 3)  # R1 R5, R3 R4
        rewards = []
        for move in ("play 1", "play 1", "play 1"):  # R1 fits; R3 and R5 do not
            before = game.returns(state)[0]
            state = deal(game, after(game, [move], state), np.random.default_rng(0))
            rewards.append(game.returns(state)[0] - before)
        assert game.to_move(state) == TERMINAL and game.payoff(state) == (points, points)
        assert rewards == [1, 0, points - 1]
        assert f"All lives are lost. Points: {points:g}." in game.describe(state, 1)


def test_after_the_last_card_each_seat_moves_once_more() -> None:
    game = Hanabi(players=3, colors=1, ranks=5, hand_size=3)
    state = dealt(game, 0, 0, 0, 1, 1, 2, 2, 3, 3)  # one card is left: R5
    assert names(game, state)[:3] == ["play 1", "play 2", "play 3"], "all hints are there"
    state = deal(game, after(game, ["play 1"], state), np.random.default_rng(0))
    assert sum(state.deck) == 0 and len(state.hands[0]) == 3
    assert "Moves left: 3." in game.describe(state, 1)
    for move in ("play 1", "play 1", "hint player 2 rank 2"):
        assert game.to_move(state) != TERMINAL
        state = after(game, [move], state)
    assert game.to_move(state) == TERMINAL
    assert game.payoff(state) == (3.0, 3.0, 3.0)
    assert "The last move is made. Points: 3." in game.describe(state, 0)


def test_all_fireworks_end_the_game_and_a_complete_one_brings_a_hint() -> None:
    game = Hanabi(colors=2, ranks=2, hand_size=2, max_information_tokens=2)
    state = dealt(game, 0, 1, 2, 3)  # R1 R2, Y1 Y2
    state = after(game, ["hint player 2 rank 1"], deal(game, state, np.random.default_rng(0)))
    assert state.tokens == 1 and "marked" in game.rules(0)
    assert "player 1: hint player 2 rank 1 (cards 1)" in game.describe(state, 1)
    for move, tokens in (("play 1", 1), ("play 1", 1), ("play 1", 2), ("play 1", 2)):
        state = deal(game, after(game, [move], state), np.random.default_rng(1))
        assert state.tokens == tokens, move
    assert game.to_move(state) == TERMINAL and game.payoff(state) == (4, 4)
    assert "All fireworks are complete. Points: 4." in game.describe(state, 0)


def test_the_cautious_player_never_loses_a_life_and_is_as_strong_as_its_page_says() -> None:
    for players, low, high in ((2, 11.5, 14.0), (3, 14.0, 16.0)):
        game, rng = Hanabi(players=players), np.random.default_rng(0)
        rule, points = scripted_policy(game), []
        for _ in range(20):
            state = deal(game, game.initial(), rng)
            while game.to_move(state) != TERMINAL:
                state = deal(game, game.apply(state, rule.choose(state, rng)), rng)
                assert state.lives == 3
            points.append(game.payoff(state)[0])
        assert low < np.mean(points) < high
    game = Hanabi()
    random = [
        play(game, [uniform_policy(game)] * 2, np.random.default_rng(n))[0] for n in range(40)
    ]
    assert np.mean(random) < 0.5


def test_all_seats_play_in_words_and_have_the_same_rewards() -> None:
    env: Any = pettingzoo.make("aec", "zerogym/hanabi-v0", view="text", players=3)
    env.reset(seed=0)
    game, rule, rng = env.unwrapped.game, scripted_policy(env.unwrapped.game), None
    total = 0.0
    while not any(env.terminations.values()):
        state = env.unwrapped._match.state
        rng = np.random.default_rng(0)
        env.step(f"<answer>{game.action_name(state, rule.choose(state, rng))}</answer>")
        assert len(set(env.rewards.values())) == 1
        total += env.rewards["player_0"]
    assert total == env.infos["player_0"]["welfare"] / 3 > 5
    one = HanabiEnv(opponent="scripted", seat=1)
    one.reset(seed=0)
    over = False
    while not over:
        *_, over, _, info = one.step(one.oracle_action())
    assert info["score"] > 0.3 and info["success"] == (info["score"] > 0.5)
