"""Overcooked-mini: a second implementation in lock-step, the fewest rounds to a soup, the cooks."""

import warnings
from collections import deque
from itertools import product
from typing import Any

import numpy as np
import pettingzoo
import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.envs.games.cooperative.overcooked_kitchen import LAYOUTS, MOVES
from zerogym.envs.games.cooperative.overcooked_mini import KitchenState, OvercookedMini
from zerogym.envs.games.cooperative.overcooked_search import first_soup
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy

with warnings.catch_warnings():  # importing the checks imports PettingZoo's own deprecated modules
    warnings.simplefilter("ignore")
    from pettingzoo.test import parallel_api_test

STEPS = {"north": (0, -1), "south": (0, 1), "west": (-1, 0), "east": (1, 0), "stay": (0, 0)}
HELD = {"": "nothing", "onion": "an onion", "dish": "a dish", "soup": "a soup"}


class Reference:
    """A kitchen as a dictionary of things by their places, in words and coordinates."""

    def __init__(self, layout: str, onions: int, cook_time: int) -> None:
        self.onions, self.cook_time, self.soups = onions, cook_time, 0
        cells = {(x, y): c for y, row in enumerate(LAYOUTS[layout]) for x, c in enumerate(row)}
        self.at = [next(place for place, c in cells.items() if c == cook) for cook in "12"]
        self.map = {place: "." if c in "12" else c for place, c in cells.items()}
        self.hands = ["", ""]
        self.on = {place: "" for place, c in cells.items() if c == "="}
        self.inside = {place: [0, -1] for place, c in cells.items() if c == "P"}  # -1: not begun

    def play(self, moves: tuple[str, str]) -> None:
        aims = [
            (x + STEPS[m][0], y + STEPS[m][1]) for (x, y), m in zip(self.at, moves, strict=True)
        ]
        begun = []
        for who, aim in enumerate(aims):
            hand = self.hands[who]
            match self.map[aim], hand:
                case "O", "":
                    self.hands[who] = "onion"
                case "D", "":
                    self.hands[who] = "dish"
                case "=", "":
                    self.hands[who], self.on[aim] = self.on[aim], ""
                case "=", _ if not self.on[aim]:
                    self.hands[who], self.on[aim] = "", hand
                case "P", "onion" if self.inside[aim][0] < self.onions:
                    self.hands[who] = ""
                    self.inside[aim][0] += 1
                    if self.inside[aim][0] == self.onions:
                        begun.append(aim)
                case "P", "dish" if self.inside[aim][1] == 0:
                    self.hands[who], self.inside[aim] = "soup", [0, -1]
                case "S", "soup":
                    self.hands[who], self.soups = "", self.soups + 1
        free = [a if self.map[a] == "." else own for a, own in zip(aims, self.at, strict=True)]
        if len(set(free)) == 2 and (free[0], free[1]) != (self.at[1], self.at[0]):
            self.at = free
        for aim, pot in self.inside.items():
            pot[1] = self.cook_time - 1 if aim in begun else max(pot[1] - 1, min(pot[1], 0))

    def same(self, game: OvercookedMini, state: KitchenState) -> bool:
        kitchen, width = state.kitchen, len(LAYOUTS[game.layout][0])
        ours = [((cell % width, cell // width), item) for cell, item in kitchen.cooks]
        items = ["", "onion", "dish", "soup"]
        pots = [(count, left if count == game.onions else -1) for count, left in kitchen.pots]
        return (
            ours == [(at, items.index(hand)) for at, hand in zip(self.at, self.hands, strict=True)]
            and list(kitchen.tables) == [items.index(thing) for thing in self.on.values()]
            and pots == [tuple(pot) for pot in self.inside.values()]
            and state.soups == self.soups
        )

    def key(self) -> Any:
        inside = tuple(map(tuple, self.inside.values()))
        return tuple(self.at), tuple(self.hands), tuple(self.on.values()), inside


@pytest.mark.parametrize(
    ("layout", "onions", "cook_time"),
    [("room", 2, 5), ("ring", 1, 1), ("divided", 3, 2), ("divided", 1, 4)],
)
def test_a_second_implementation_has_the_same_kitchen(
    layout: str, onions: int, cook_time: int
) -> None:
    game = OvercookedMini(layout, onions=onions, cook_time=cook_time)
    players, rng, soups = (uniform_policy(game), scripted_policy(game)), np.random.default_rng(0), 0
    for episode in range(12):
        state, other = game.initial(), Reference(layout, onions, cook_time)
        while game.to_move(state) != TERMINAL:
            made, before = [], game.returns(state)
            for seat in range(2):
                player = players[rng.random() < 0.8 or (episode + seat) % 2]
                made.append(player.choose(state, rng))
                state = game.apply(state, made[-1])
            other.play((MOVES[made[0]], MOVES[made[1]]))
            assert other.same(game, state)
            text = game.situation(state, 1)
            assert f"You are cook 2 and hold {HELD[other.hands[1]]}" in text
            gain = game.returns(state)[0] - before[0]
            assert gain in (0, 20, 40)
        soups += other.soups
        assert game.payoff(state) == (20 * other.soups,) * 2
    assert soups > 12


def shortest(layout: str, onions: int, cook_time: int) -> int:
    """The fewest rounds to a soup, by search over copies of the reference."""
    start = Reference(layout, onions, cook_time)
    queue, known = deque([(start, 0)]), {start.key()}
    while True:
        kitchen, rounds = queue.popleft()
        for moves in product(STEPS, repeat=2):
            other = object.__new__(Reference)
            other.__dict__ |= kitchen.__dict__
            other.hands, other.on = list(kitchen.hands), dict(kitchen.on)
            other.inside = {place: list(pot) for place, pot in kitchen.inside.items()}
            other.play(moves)
            if other.soups:
                return rounds + 1
            if other.key() not in known:
                known.add(other.key())
                queue.append((other, rounds + 1))


@pytest.mark.parametrize(
    ("layout", "onions", "cook_time", "fewest"),
    [
        ("divided", 1, 1, 9),
        pytest.param("divided", 2, 5, 12, marks=pytest.mark.proof),
        ("room", 2, 5, 13),
        pytest.param("ring", 2, 5, 13, marks=pytest.mark.proof),
    ],
)
def test_the_search_finds_the_fewest_rounds_to_a_soup(
    layout: str, onions: int, cook_time: int, fewest: int
) -> None:
    game = OvercookedMini(layout, onions=onions, cook_time=cook_time)
    plan, state = first_soup(game), game.initial()
    for moves in plan:
        assert state.soups == 0
        for move in moves:
            state = game.apply(state, move)
    assert state.soups == 1
    assert len(plan) == fewest == shortest(layout, onions, cook_time)


@pytest.mark.parametrize(
    ("layout", "fewest", "mean"), [("room", 13, 1.97), ("ring", 13, 1.46), ("divided", 12, 1.98)]
)
def test_the_scripted_pair_is_as_strong_as_its_page_says(
    layout: str, fewest: int, mean: float
) -> None:
    """Soups in 40 rounds, none before the fewest rounds; random pairs serve none."""
    game, rng = OvercookedMini(layout), np.random.default_rng(0)
    means = []
    for player in (scripted_policy(game), uniform_policy(game)):
        soups = []
        for _ in range(15):
            state = game.initial()
            while game.to_move(state) != TERMINAL:
                state = game.apply(state, player.choose(state, rng))
                assert state.soups == 0 or state.rounds >= fewest
            soups.append(state.soups)
        means.append(np.mean(soups))
    assert abs(means[0] - mean) < 0.4 and means[1] < 0.1


def test_cooks_who_would_meet_or_change_places_stay() -> None:
    game = OvercookedMini("room")  # cook 1 at b2, cook 2 at d2
    for moves, cells in (
        (("east", "west"), (6, 8)),
        (("east", "stay"), (7, 8)),
        (("stay", "west"), (6, 7)),
    ):
        state = game.initial()
        for move in moves:
            state = game.apply(state, MOVES.index(move))
        assert tuple(cell for cell, _ in state.kitchen.cooks) == cells
    state = game.apply(game.apply(state, MOVES.index("east")), MOVES.index("west"))
    assert tuple(cell for cell, _ in state.kitchen.cooks) == (6, 7), "no change of places"
    state = game.apply(game.apply(state, MOVES.index("east")), MOVES.index("east"))
    assert tuple(cell for cell, _ in state.kitchen.cooks) == (7, 8), "one follows the other"


def test_it_is_a_parallel_environment_in_both_views() -> None:
    env: Any = pettingzoo.make("parallel", "zerogym/overcooked_mini-v0", layout="divided")
    parallel_api_test(env, num_cycles=80)
    env = pettingzoo.make("parallel", "zerogym/overcooked_mini-v0", view="text", horizon=13)
    observations, _ = env.reset(seed=0)
    assert "You are cook 2." in observations["player_1"]["text"]
    rewards = []
    for first, second in first_soup(OvercookedMini()):
        replies = {"player_0": f"<answer>{MOVES[first]}</answer>", "player_1": MOVES[second]}
        observations, gained, ended, _, infos = env.step(replies)
        rewards.append(tuple(gained.values()))
    assert rewards == [(0, 0)] * 12 + [(20, 20)] and all(ended.values())
    assert infos["player_0"]["welfare"] == 40
    assert "The shift is over. Points: 20." in observations["player_0"]["text"]
