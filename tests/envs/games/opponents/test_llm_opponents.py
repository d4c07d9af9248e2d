"""A language model in the other seat: by name, from the seed, in mixtures, in other processes."""

import copy
import json
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.missing_modules import BLOCK
from zerogym.agents.llm import opponent as llm
from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.models.loading import save_model
from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer
from zerogym.agents.llm.opponent import LanguageModel, llm_opponent
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.errors import ModelNotFound, UnknownName

KUHN = KuhnPoker()
SMALL = TinyConfig(vocabulary=300, hidden=16, layers=1, heads=2, feed_forward=32, context=512)


def play(env: Any, seed: int | None) -> list[str]:
    """An episode of random moves, with all observations."""
    env = env.unwrapped
    observation, info = env.reset(seed=seed)
    rng, record, over = np.random.default_rng(0), [str(observation), str(info)], False
    while not over:
        observation, reward, over, _, info = env.step(env.random_action(rng))
        record += [str(observation), str(reward), str(info)]
    return record


def episodes() -> list[Any]:
    """Some episodes, the same in every process."""
    found = []
    for name, arguments in (
        ("KuhnPoker", {"opponent": "llm:tiny"}),
        ("KuhnPoker", {"opponent": "llm:tiny", "view": "numeric"}),
        ("TicTacToe", {"opponent": "random+llm:tiny"}),
        ("PublicGoods", {"opponent": "llm:tiny", "max_retries": 0}),
    ):
        env = gym.make(f"zerogym/{name}-v0", **arguments)
        found += [play(env, seed) for seed in range(3)]
    env = KuhnPokerEnv(opponent=["llm:tiny", ["cfr+scripted", "mcts:2"]])
    return [*found, *(play(env, seed) for seed in range(4))]


@pytest.mark.proof
def test_another_process_plays_the_same_games(root: Path, run_python: Callable[..., str]) -> None:
    code = (
        f"import json, sys; sys.path[:0] = {[str(root / 'tests'), str(Path(__file__).parent)]!r}\n"
        "from test_llm_opponents import episodes\n"
        "print(json.dumps(episodes()))\n"
    )
    assert json.loads(run_python(code).splitlines()[-1]) == episodes()


def test_a_model_plays_and_the_generator_of_the_environment_decides() -> None:
    env = KuhnPokerEnv(seat=1, opponent="llm:tiny")
    openings: Counter[str] = Counter()
    for seed in range(30):
        first = play(env, seed)
        assert play(env, seed) == first
        openings["opponent bets" in first[0]] += 1
    assert openings[True] and openings[False]


def test_a_snapshot_holds_the_conversation() -> None:
    env = KuhnPokerEnv(seat=0, opponent="llm:tiny", max_retries=0)
    env.reset(seed=3)
    env.step("check")
    snapshot = env.get_state()
    futures = []
    for _ in range(2):
        env.set_state(snapshot)
        futures.append(str(env.np_random.random()) + str(play(env, None)))
    assert futures[0] == futures[1]


def test_the_model_reads_text_whatever_the_learner_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def reply(self: Any, message: str, memory: Any, rng: Any) -> tuple[str, Any]:
        calls.append((message, memory))
        return "<answer>check</answer>", (memory or 0) + 1

    monkeypatch.setattr(LanguageModel, "reply", reply)
    env = KuhnPokerEnv(seat=1, opponent="llm:tiny", view="numeric")
    env.reset(seed=0)
    _, reward, terminated, _, _ = env.step(1)  # a bet; "check" is no answer to it, three times
    assert terminated and reward == 2
    assert [memory for _, memory in calls] == [None, 1, 2, 3]
    assert calls[0][0].startswith("Kuhn poker") and calls[1][0].startswith("Your card")
    assert calls[2][0] == calls[3][0] and calls[2][0].startswith("That reply is not")


def test_mixtures_hold_models_and_are_drawn_by_weight() -> None:
    model = llm_opponent(KUHN, "tiny")
    nested = make_opponent(KUHN, ["cfr", {"random": 1, "llm:tiny": 3}, ["random+llm:tiny", model]])
    assert isinstance(nested, Mixture)
    assert [member == model for member in nested.members] == [
        *(False, False, True),
        *(False, True, True),
    ]
    assert nested.weights == pytest.approx((1, 1 / 4, 3 / 4, 1 / 4, 1 / 4, 1 / 2))
    env = KuhnPokerEnv(opponent={"random": 3, "llm:tiny": 1})
    members: Counter[int] = Counter()
    for seed in range(200):
        members[env.opponent.draw(np.random.default_rng(seed))] += 1
    assert 120 < members[0] < 180 and members.total() == 200


def test_a_model_is_loaded_once_and_again_only_when_it_was_trained_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Path] = []

    def load(directory: Path) -> Any:
        loaded.append(directory)
        return load_generator(directory)

    monkeypatch.setattr(llm, "load_generator", load)
    tokenizer = build_tokenizer(["Your card: K. Reply <answer>bet</answer>."] * 60, SMALL)
    for times in (1, 2):
        save_model(build_model(tokenizer, SMALL, seed=times), tokenizer, tmp_path / "m")
        for _ in range(3):
            play(KuhnPokerEnv(opponent=f"llm:{tmp_path / 'm'}", max_retries=0), seed=0)
        assert len(loaded) == times


def test_a_player_travels_to_other_processes() -> None:
    player = llm_opponent(KUHN, "tiny")
    for twin in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert twin == player
    memory: Any = None
    for message in ("Hello.", "Go on."):
        _, memory = player.reply(message, memory, np.random.default_rng(0))
    assert copy.deepcopy(memory) == memory and memory.reply == memory.ids[-len(memory.reply) :]


@pytest.mark.parametrize("mode", ["sync", pytest.param("async", marks=pytest.mark.proof)])
def test_vectors_of_environments_take_names(mode: Any) -> None:
    kwargs = {"opponent": "random+llm:tiny", "view": "numeric", "seat": 0}
    rows = []
    for _ in range(2):
        envs = gym.make_vec("zerogym/KuhnPoker-v0", 2, vectorization_mode=mode, **kwargs)
        observations, _ = envs.reset(seed=1)
        rows.append([observations.tolist()])
        for _ in range(4):
            observations, rewards, *_ = envs.step(np.ones(2, dtype=np.int64))
            rows[-1] += [observations.tolist(), rewards.tolist()]
        envs.close()
    assert rows[0] == rows[1]


@pytest.mark.proof
def test_forked_environments_do_not_wait_for_the_threads_of_their_parent(
    run_python: Callable[..., str],
) -> None:
    code = (
        "import gymnasium as gym, zerogym\n"
        "arguments = {'opponent': 'llm:tiny', 'seat': 1, 'view': 'numeric'}\n"
        "gym.make('zerogym/KuhnPoker-v0', **arguments).reset(seed=0)\n"
        "arguments['vector_kwargs'] = {'context': 'fork'}\n"
        "envs = gym.make_vec('zerogym/KuhnPoker-v0', 2, 'async', **arguments)\n"
        "print(envs.reset(seed=0)[0].shape)\n"
        "envs.close()\n"
    )
    assert run_python(code, timeout=100, OMP_NUM_THREADS="2").strip() == "(2, 11)"


def test_what_cannot_be_had_is_said_when_the_environment_is_made(tmp_path: Path) -> None:
    for name, error, texts in (
        ("llm:tini", UnknownName, "Did you mean 'tiny'"),
        ("llm:", UnknownName, "llm:tiny"),
        (f"llm:{tmp_path}/none", ModelNotFound, "no directory"),
        (f"llm:{tmp_path}", ModelNotFound, r"no config\.json"),
        ("random+llm:tini", UnknownName, "tiny"),
    ):
        with pytest.raises(error, match=texts):
            gym.make("zerogym/KuhnPoker-v0", opponent=name)


def test_without_torch_the_extra_is_named_and_the_rest_plays(
    run_python: Callable[..., str],
) -> None:
    code = BLOCK.format(blocked=("torch", "transformers")) + (
        "import gymnasium as gym, zerogym\n"
        "from zerogym.errors import MissingExtra\n"
        "env = gym.make('zerogym/KuhnPoker-v0', opponent='random+cfr')\n"
        "print(env.reset(seed=0)[1]['seat'])\n"
        "try:\n"
        "    gym.make('zerogym/KuhnPoker-v0', opponent='llm:tiny')\n"
        "except MissingExtra as error:\n"
        "    print(error)\n"
    )
    assert "'llm:tiny' needs torch: pip install 'zerogym[llm]'" in run_python(code)
