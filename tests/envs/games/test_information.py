"""Observations of a seat depend on its information set, and on nothing else."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.games.positions import OURS, random_move
from zerogym.envs.games.cards.kuhn_poker import KuhnState
from zerogym.envs.games.cards.leduc_poker import LeducState
from zerogym.envs.games.core.determinization import can_redraw, resample
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, load_game
from zerogym.envs.games.core.tabular_policy import layers
from zerogym.envs.games.economic.first_sealed_auction import AuctionState
from zerogym.envs.games.opponents.scripted import Scripted
from zerogym.envs.registry import TASKS

IDS = {task.name.lower(): task.id for task in TASKS}
HIDDEN = [  # those that cannot be redrawn have a test of their own
    game.name
    for game in OURS
    if not load_game(game.name).perfect_information and can_redraw(load_game(game.name))
]
SMALL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kuhn_poker", {}),
    ("kuhn_poker", {"players": 3}),
    ("kuhn_match", {"rounds": 2}),
    ("leduc_poker", {}),
    ("liars_dice", {"dice_sides": 3}),
    ("goofspiel", {}),
    ("goofspiel", {"num_cards": 3, "points_order": "ascending"}),
    ("goofspiel", {"num_cards": 3, "points_order": "random"}),
    ("blotto", {"coins": 3, "fields": 2}),
    ("prisoners_dilemma", {"rounds": 3}),
    ("rock_paper_scissors", {"rounds": 2}),
    ("public_goods", {"rounds": 2}),
    ("first_sealed_auction", {"max_value": 4}),
    ("battleship", {"board_width": 3, "board_height": 1, "ship_sizes": (2,), "num_shots": 2}),
    ("battleship", {"board_width": 3, "board_height": 1, "ship_sizes": (1, 1), "num_shots": 2}),
    ("nim", {"heaps": (1, 2, 3), "misere": True}),
    ("dots_and_boxes", {}),
    ("hex", {"board_size": 2}),
    ("breakthrough", {"rows": 4, "columns": 2}),
    ("pig", {"winscore": 4, "horizon": 6}),
    ("ultimatum", {"coins": 3}),
    ("talking_dilemma", {"rounds": 1}),
    ("trust_and_split", {"claims": (0, 10)}),
    ("twenty_questions", {"things": 4, "questions": 2}),
    ("red_team", {"words": 3}),
    ("spy", {"players": 3, "rounds": 1, "places": 1, "colours": 2, "shapes": 1}),
    ("spy", {"players": 3, "rounds": 1, "places": 1, "colours": 1, "shapes": 2, "changes": 0}),
    ("deal_or_no_deal", {"counts": (1, 1), "total": 2, "turns": 3}),
    ("simple_negotiation", {"kinds": 2, "stock": 1, "most": 1, "turns": 2}),
    ("pig", {"winscore": 3, "horizon": 6, "piglet": True}),
)


def states_of(game: Game[Any]) -> Iterator[Any]:
    """All states in which a seat is to move."""
    for layer in layers(game):
        yield from (state for state in layer if game.to_move(state) >= 0)


@pytest.mark.parametrize(("name", "parameters"), SMALL)
def test_key_text_and_array_tell_the_same_states_apart_also_to_those_who_wait(
    name: str, parameters: dict[str, Any]
) -> None:
    game = load_game(name, **parameters)
    rule = Scripted(game)
    known: dict[Any, Any] = {}
    texts: dict[Any, Any] = {}
    arrays: dict[Any, Any] = {}
    for state in states_of(game):
        for seat in range(game.num_seats):
            moves = game.to_move(state) == seat
            key = (seat, moves, game.info_key(state, seat))
            text, array = game.describe(state, seat), game.observe(state, seat).tobytes()
            choice = (game.legal(state), rule.probabilities(state)) if moves else None
            assert known.setdefault(key, (text, array, choice)) == (text, array, choice)
            assert texts.setdefault((seat, text), key) == key
            assert arrays.setdefault((seat, moves, array), key) == key
    assert len(known) > 2


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_parts_change_neither_observations_nor_rules_of_thumb(
    name: str,
) -> None:
    game, rng = load_game(name), np.random.default_rng(0)
    rule, drawn = Scripted(game), 0
    for _ in range(4):
        state = game.initial()
        while (mover := game.to_move(state)) != TERMINAL:
            if mover != CHANCE:
                other = resample(game, state, rng)
                drawn += other != state
                assert game.info_key(other, mover) == game.info_key(state, mover)
                assert game.describe(other, mover) == game.describe(state, mover)
                assert (game.observe(other, mover) == game.observe(state, mover)).all()
                assert game.legal(other) == game.legal(state)
                assert rule.probabilities(other) == pytest.approx(rule.probabilities(state))
            state = game.apply(state, random_move(game, state, rng))
    assert drawn > 0


@pytest.mark.parametrize("view", ["text", "numeric"])
@pytest.mark.parametrize("name", HIDDEN)
def test_no_door_of_the_environment_shows_what_is_hidden(name: str, view: str) -> None:
    """Observation, info, feedback, mask and picture are the same whatever the others hold."""
    env: Any = gym.make(IDS[name.replace("_", "")], view=view, render_mode="ansi").unwrapped
    rng, drawn = np.random.default_rng(0), 0
    for seed in range(4):
        env.reset(seed=seed)
        for _ in range(20):
            snapshot = env.get_state()
            observed = []
            for number in range(3):
                if number:
                    other = resample(env.game, snapshot["episode"].state, rng)
                    drawn += other != snapshot["episode"].state
                    snapshot["episode"].state = other
                env.set_state(snapshot)
                shown = [env.render(), env.action_masks().tolist(), str(env), repr(env)]
                for action in ("?", "secret") if view == "text" else (-1,):
                    shown.append(str(env.step(action)))
                shown.append(str(env.render()))
                observed.append(shown)
            assert observed[0] == observed[1] == observed[2]
            env.set_state(snapshot)
            *_, over, _, info = env.step(env.random_action(rng))
            known = {"turn", "seat", "role", "vote", "void_turn", "score", "success", "welfare"}
            if over and name == "red_team":
                known |= {"prompt", "reply", "rate_leak", "rate_refused_benign"}
            assert set(info) <= known | ({"action_mask"} if view == "numeric" else set())
            if over:
                break
    assert drawn > 0


AUCTION = "first_sealed_auction"
# Two ends that differ in what nobody has shown to the seat.
SECRETS: tuple[tuple[str, dict[str, Any], Any, Any, int], ...] = (
    ("kuhn_poker", {}, KuhnState((1, 0), "bp"), KuhnState((1, 2), "bp"), 0),
    ("kuhn_poker", {}, KuhnState((1, 0), "bp"), KuhnState((2, 0), "bp"), 1),
    ("kuhn_poker", {"players": 3}, KuhnState((1, 0, 3), "bpb"), KuhnState((1, 2, 3), "bpb"), 2),
    ("kuhn_match", {"rounds": 1}, (KuhnState((1, 0), "pbp"),), (KuhnState((1, 2), "pbp"),), 0),
    ("leduc_poker", {}, LeducState((0, 1), "rf"), LeducState((0, 5), "rf"), 0),
    ("leduc_poker", {}, LeducState((0, 1, 2), "cc", "rf"), LeducState((4, 1, 2), "cc", "rf"), 1),
    # Only the highest bid is called out, and no value.
    (AUCTION, {}, AuctionState((9, 3), (4, 0), 0), AuctionState((5, 3), (4, 0), 0), 1),
    (AUCTION, {}, AuctionState((9, 3), (4, 0), 0), AuctionState((9, 7), (4, 3), 0), 0),
    (
        AUCTION, {"players": 3},
        AuctionState((9, 3, 3), (4, 0, 1), 0), AuctionState((9, 3, 8), (4, 0, 3), 0), 1,
    ),
)  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "one", "other", "seat"), SECRETS)
def test_the_end_shows_no_more_than_the_rules_do(
    name: str, parameters: dict[str, Any], one: Any, other: Any, seat: int
) -> None:
    game = load_game(name, **parameters)
    assert game.to_move(one) == game.to_move(other) == TERMINAL
    assert game.describe(one, seat) == game.describe(other, seat)
    assert (game.observe(one, seat) == game.observe(other, seat)).all()


def test_a_battle_that_ends_early_shows_no_ship_that_was_not_hit() -> None:
    game, rng = load_game("battleship", num_shots=3), np.random.default_rng(0)
    different = 0
    for _ in range(40):
        state = game.initial()
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, random_move(game, state, rng))
        other = game.resample(state, 0, rng)  # type: ignore[attr-defined]
        different += other != state
        assert game.describe(state, 0) == game.describe(other, 0)
        assert (game.observe(state, 0) == game.observe(other, 0)).all()
    assert different > 20
