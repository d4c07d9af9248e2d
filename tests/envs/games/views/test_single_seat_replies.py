"""Replies of a seat of a game: no move, an illegal one, and what is no move at all."""

import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.envs.games.board.tic_tac_toe import TicTacToeEnv
from zerogym.envs.games.cards.kuhn_poker import KuhnPokerEnv


@pytest.mark.parametrize("text", ["", "I fold", "bet check", "\ud800\x00", "x" * 10_000_000])
def test_a_reply_without_a_move_is_repeated_then_forfeited(text: str) -> None:
    env = KuhnPokerEnv(seat=0, max_retries=2)
    position = env.reset(seed=0)[0].partition("Your card")[2]
    for _ in range(2):
        observation, reward, terminated, _, info = env.step(text)
        assert (reward, terminated, info["void_turn"], info["turn"]) == (0.0, False, True, 0)
        assert "not a legal move" in observation
        assert "not a legal move" in info["feedback"]
        assert observation.endswith(position)
    observation, reward, terminated, _, info = env.step(text)
    assert (reward, terminated, info["score"], info["success"]) == (-2.0, True, 0.0, False)
    assert "You forfeit" in observation
    assert info["feedback"] == observation
    with pytest.raises(RuntimeError, match="reset"):
        env.step("check")


def test_retries_are_counted_for_each_move() -> None:
    env = TicTacToeEnv(seat=0, opponent="minimax", max_retries=1)
    env.reset(seed=0)
    for move in (0, 1):
        assert not env.step("?")[2]
        assert not env.step(str(env.game.legal(env.get_state()["episode"].state)[0] + 1))[2], move
