"""The talking dilemma: a second implementation, rewards in each round, what words are worth."""

from itertools import product
from typing import Any

import numpy as np
import pettingzoo
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.games.positions import positions
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import TabularPolicy, information_sets
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, nash_conv
from zerogym.envs.games.talk.talking_dilemma import TalkingDilemma, TalkingDilemmaEnv

GAME = TalkingDilemma()
MATRIX = {"cc": (3, 3), "cd": (0, 5), "dc": (5, 0), "dd": (1, 1)}


def reference(course: str) -> tuple[int, int]:
    """Points of a course such as `cddd`: the choices of both seats, round by round."""
    cells = [MATRIX[course[at : at + 2]] for at in range(0, len(course), 2)]
    return sum(cell[0] for cell in cells), sum(cell[1] for cell in cells)


def test_every_end_is_that_of_the_reference() -> None:
    ends = [state for state in positions(GAME) if GAME.to_move(state) == TERMINAL]
    assert len(ends) == (9 * 4) ** 2
    for state in ends:
        words = [GAME.action_name(state, turn.act) for turn in state.turns if turn.act is not None]
        course = "".join(word[0] for word in words if word in ("cooperate", "defect"))
        assert GAME.payoff(state) == reference(course)


def test_without_messages_it_is_the_same_dilemma() -> None:
    game = TalkingDilemma(talks=0)
    ends = [state for state in positions(game) if game.to_move(state) == TERMINAL]
    assert len(ends) == 4**2
    for state in ends:
        words = [game.action_name(state, turn.act or 0) for turn in state.turns]
        assert game.payoff(state) == reference("".join(word[0] for word in words))
    assert best_response(game, 0, scripted_policy(game))[1] == 3 + 5
    assert "message" not in game.rules(0)


def test_points_come_after_each_round_in_every_view() -> None:
    script = ["say nothing", "cooperate", "i will defect", "defect"]
    for course in product(script[1::2], repeat=4):
        aec: Any = pettingzoo.make("aec", "zerogym/talking_dilemma-v0", view="text")
        both: Any = pettingzoo.make("parallel", "zerogym/talking_dilemma-v0", view="text")
        aec.reset(seed=0)
        both.reset(seed=0)
        moves = ["say nothing"] * 2 + list(course[:2]) + ["i will defect"] * 2 + list(course[2:])
        given = []
        for move in moves:
            agent = aec.agent_selection
            aec.step(f"<answer>{move}</answer>")
            assert aec._cumulative_rewards[agent] == aec.rewards[agent]
            given.append(tuple(aec.rewards.values()))
        rounds = [reference(course[0][0] + course[1][0]), reference(course[2][0] + course[3][0])]
        nothing = (0.0, 0.0)
        assert given == [nothing] * 3 + rounds[:1] + [nothing] * 3 + rounds[1:]
        at_once = [
            tuple(both.step(dict(zip(both.agents, moves[at : at + 2], strict=True)))[1].values())
            for at in range(0, 8, 2)
        ]
        assert at_once == [nothing, rounds[0], nothing, rounds[1]]
        assert aec.infos["player_0"]["welfare"] == sum(map(sum, rounds))


def test_the_return_of_a_seat_is_its_payoff_and_a_forfeit_takes_it_back() -> None:
    env = TalkingDilemmaEnv(seat=0, opponent="scripted", view="numeric")
    for wrong in (False, True):
        env.reset(seed=0)
        rewards = [env.step(act)[1] for act in (4, 1, 4)]
        assert rewards == [0, 5, 0]
        _, reward, over, _, info = env.step(3 if wrong else 1)  # a message is no choice
        assert over and sum(rewards) + reward == (0 if wrong else 6)
        assert info["score"] == (0 if wrong else 0.6)
        assert info["welfare"] == (0 if wrong else 7)


def test_defection_is_the_equilibrium_whatever_is_said() -> None:
    defect = {
        key: (0.0, 1.0)
        for key, states in information_sets(GAME).items()
        if len(GAME.legal(states[0])) == 2
    }
    assert nash_conv(GAME, TabularPolicy(GAME, defect)) == pytest.approx(0, abs=1e-12)
    assert nash_conv(GAME, uniform_policy(GAME)) > 1
    rule = scripted_policy(GAME)
    assert best_response(GAME, 0, rule)[1] == 3 + 5


def test_a_message_is_read_when_both_have_written() -> None:
    free = TalkingDilemma(messages="free")
    first: Any = free.parse(free.initial(), "<answer>Trust me, I am good</answer>")
    state = free.apply(free.initial(), first)
    assert "Trust me" in free.describe(state, 0) and "Trust me" not in free.describe(state, 1)
    assert free.describe(free.resample(state, 1, np.random.default_rng(0)), 1) == free.describe(
        state, 1
    )
    state = free.apply(state, 4)
    assert "[player 1] Trust me, I am good" in free.describe(state, 1)
    assert free.parse(state, "<answer>I am good [cooperate]</answer>") is None, "choices are bare"
