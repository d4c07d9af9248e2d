"""Codenames-mini: a second implementation, hidden kinds, safe clues, and clues of free words."""

from typing import Any

import numpy as np
import pytest

from helpers.games.positions import after, names, random_move
from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.talk.codenames_mini import CodenamesMini, CodenamesMiniEnv
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.words import ATTRIBUTES, NAMES, WORDS

KINDS = ("own", "neutral", "assassin")


def kinds_of(game: CodenamesMini, state: Any) -> dict[str, str]:
    """The table as words and kinds."""
    deals = [state.deals[: game.words], state.deals[game.words :]]
    return {NAMES[word]: KINDS[kind] for word, kind in zip(*deals, strict=True)}


class Reference:
    """The course of a game in words."""

    def __init__(self, table: dict[str, str], clues: int) -> None:
        self.hidden, self.clues, self.points = dict(table), clues, 0
        self.left, self.guesses = 0, 0  # of the present clue
        self.over = False

    @property
    def own(self) -> int:
        return list(self.hidden.values()).count("own")

    def moves(self) -> set[str]:
        """All legal moves; nothing at the end."""
        if self.over:
            return set()
        if self.left:
            stop = {"stop"} if self.guesses else set()
            return {f"guess {word}" for word in self.hidden} | stop
        return {f"{each} {n + 1}" for each in ATTRIBUTES for n in range(self.own)}

    def play(self, move: str) -> None:
        verb, _, rest = move.partition(" ")
        if not self.left:
            self.left, self.guesses, self.clues = int(rest), 0, self.clues - 1
            return
        self.guesses += 1
        kind = self.hidden.pop(rest) if verb == "guess" else ""
        self.points += {"own": 1, "assassin": -3}.get(kind, 0)
        self.left = self.left - 1 if kind == "own" else 0
        self.over = kind == "assassin" or not self.own or (not self.left and not self.clues)


@pytest.mark.parametrize("parameters", [{}, {"words": 6, "own": 2, "clues": 4}])
def test_random_games_are_those_of_the_reference(parameters: dict[str, int]) -> None:
    game, rng = CodenamesMini(**parameters), np.random.default_rng(0)
    rule, ends = scripted_policy(game), set()
    for episode in range(80):
        state = deal(game, game.initial(), rng)
        other = Reference(kinds_of(game, state), game.clues)
        assert sorted(other.hidden.values()).count("own") == game.own
        while game.to_move(state) != TERMINAL:
            assert game.to_move(state) == int(other.left > 0)
            assert set(names(game, state)) == other.moves()
            clever = episode % 2 and rng.random() < 0.7
            act = rule.choose(state, rng) if clever else random_move(game, state, rng)
            other.play(game.action_name(state, act))
            state = game.apply(state, act)
            assert game.returns(state) == (other.points,) * 2
        assert other.over and len(state.turns) <= game.max_turns
        ends.add("lost" if game.course(state).lost else "won" if not other.own else "clues")
    assert ends == {"lost", "won", "clues"}


def test_kinds_that_were_not_guessed_are_in_no_observation_of_the_operative() -> None:
    game, rng, changed = CodenamesMini(), np.random.default_rng(0), 0
    for _ in range(20):
        state = deal(game, game.initial(), rng)
        while game.to_move(state) != TERMINAL:
            other = game.resample(state, 1, rng)
            changed += other != state
            assert game.situation(other, 1) == game.situation(state, 1)
            assert (game.observe(other, 1) == game.observe(state, 1)).all()
            assert game.info_key(other, 1) == game.info_key(state, 1)
            assert game.returns(other) == game.returns(state)
            said = game.situation(state, 1).partition("\n")[0]
            for word, kind in kinds_of(game, state).items():
                guessed = any(t.act == game.first_guess + NAMES.index(word) for t in state.turns)
                assert (f"{word} ({kind}, guessed)" in said) == guessed
                assert f"{word} ({kind}" in game.situation(state, 0)
            state = game.apply(state, random_move(game, state, rng))
    assert changed > 40


def test_a_clue_that_is_safe_is_the_best_of_its_kind_and_leads_to_no_mistake() -> None:
    game, rng = CodenamesMini(), np.random.default_rng(0)
    rule, safe, points = scripted_policy(game), 0, []
    for _ in range(60):
        state = deal(game, game.initial(), rng)
        hidden = kinds_of(game, state)
        while game.to_move(state) != TERMINAL:
            act = rule.choose(state, rng)
            name, mover = game.action_name(state, act), game.to_move(state)
            before, state = game.returns(state)[0], game.apply(state, act)
            if mover == 0:
                fit = {
                    each: [kind for word, kind in hidden.items() if each in WORDS[word].split()]
                    for each in ATTRIBUTES
                }
                best = max((len(k) for k in fit.values() if set(k) == {"own"}), default=0)
                sure, number = best > 0, int(name.split()[1])
                safe += sure
                assert number == max(1, best)
                assert not sure or fit[name.split()[0]] == ["own"] * best
                avoidable = any("own" in k and "assassin" not in k for k in fit.values())
                assert not avoidable or "assassin" not in fit[name.split()[0]]
            elif name != "stop":
                hidden.pop(name.removeprefix("guess "))
                assert not sure or game.returns(state)[0] == before + 1
        points.append(game.payoff(state)[0])
    assert safe > 60 and 2.6 < np.mean(points) < 3.4  # 3.02 in 300 games
    random = uniform_policy(game)
    for _ in range(30):
        state = deal(game, game.initial(), rng)
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, random.choose(state, rng))
        points.append(game.payoff(state)[0])
    assert np.mean(points[60:]) < 1


def test_a_free_clue_is_one_new_word_and_a_number() -> None:
    game = CodenamesMini(messages="free", words=6, own=2)
    state: Any = game.initial()
    for outcome in (*(NAMES.index(w) for w in ("cat", "sun", "tea", "car", "bell", "hat")), 0, 0):
        state = game.apply(state, outcome)
    state = deal(game, state, np.random.default_rng(0))
    for clue in (
        "whiskers", "two words 1", "whiskers 3", "whiskers 0", "whiskers -1", "cat 1", "catnip 1",
        "sunlight 2", "ha 1", "chat 1", "w 1", "x" * 21 + " 1", "whiskers 1 [animal 1]", "1",
    ):  # fmt: skip
        assert game.parse(state, f"<answer>{clue}</answer>") is None, clue
    assert isinstance(game.parse(state, "<answer>animal 2</answer>"), int)
    move = game.parse(state, "<think>cat</think><answer>Whiskers 2</answer>")
    assert move == Move(None, "Whiskers 2")
    state = after(game, ["<answer>Whiskers 2</answer>", "guess sun", "guess cat"], state)
    assert game.to_move(state) == TERMINAL and game.payoff(state) == (2, 2)
    assert "[you] Whiskers 2" in game.describe(state, 0)


def test_the_scripted_operative_knows_attributes_and_guesses_after_other_words() -> None:
    env: Any = CodenamesMiniEnv(seat=0, opponent="scripted", messages="free")
    totals = {"attributes": 0.0, "whiskers": 0.0}
    for kind, seed in ((kind, seed) for kind in totals for seed in range(12)):
        env.reset(seed=seed)
        over = False
        while not over:
            said = env.oracle_action() if kind == "attributes" else "<answer>whiskers 1</answer>"
            _, reward, over, _, info = env.step(said)
            assert not info["void_turn"] and info["role"] == "spymaster"
            totals[kind] += reward / 12
    assert totals["attributes"] > totals["whiskers"] + 1.5
