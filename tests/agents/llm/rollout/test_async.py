"""Rollouts in threads: who waits for whom, and the same trajectories in any order."""

import copy
import os
import random
import re
import signal
import threading
import time
from dataclasses import replace
from typing import ClassVar

import gymnasium as gym
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import CountDown, Scripted, repeat
from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.rollout_env import GymEnv
from zerogym.agents.llm.rollout.runner import Player, rollout, rollout_groups


class Probed(CountDown):
    """CountDown that tells a probe when it is in a step, and in which thread."""

    probe = staticmethod(lambda env, action: None)
    threads: ClassVar[set[str]] = set()

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed)
        Probed.threads.add(threading.current_thread().name)
        self.seed, self.turn = seed, 0
        return observation, info

    def step(self, action):
        Probed.threads.add(threading.current_thread().name)
        self.turn += 1
        Probed.probe(self, action)
        return super().step(action)


class Waiting(Probed):
    waits = True


@pytest.fixture
def envs(monkeypatch):
    """Environments of both kinds; `probe` is called in each step."""
    names = {"quick": Probed, "waiting": Waiting}
    for name, env in names.items():
        gym.register(f"tests/{name}-v0", env)
    monkeypatch.setattr(Probed, "threads", set())
    monkeypatch.setattr(Probed, "probe", staticmethod(lambda env, action: None))
    made = {name: Environments(f"tests/{name}-v0") for name in names}
    yield made
    for name in names:
        made[name].close()
        del gym.registry[f"tests/{name}-v0"]


def set_probe(probe) -> None:
    Probed.probe = staticmethod(probe)


def played(envs, **arguments):
    """The records without the environment's name, and the engine's calls."""
    player = Player(Scripted(repeat), Sampling(seed=4))
    records = rollout(envs, range(8), player, **arguments)
    return [replace(record, env="", key="") for record in records], player.generator.calls


def test_steps_that_wait_are_taken_side_by_side_and_others_are_not(envs):
    plain, calls = played(envs["quick"])
    assert Probed.threads == {threading.main_thread().name}
    together = threading.Barrier(8)

    def meet(env, action) -> None:
        if env.turn == 1:
            together.wait(timeout=60)  # raises unless all eight are in their first step at once

    set_probe(meet)
    beside, beside_calls = played(envs["waiting"])
    assert beside == plain and beside_calls == calls
    assert len(Probed.threads) >= 8
    delays = random.Random(0)
    set_probe(lambda env, action: time.sleep(delays.random() / 500))
    assert played(envs["waiting"], concurrent=3)[0] == plain


def test_a_wrapper_does_not_hide_that_its_environment_waits():
    assert GymEnv(gym.wrappers.TimeLimit(Waiting(), 5)).waits
    assert not GymEnv(gym.wrappers.TimeLimit(Probed(), 5)).waits


@pytest.mark.parametrize("kind", ["quick", "waiting"])
def test_a_ready_episode_does_not_wait_for_a_slow_one(envs, kind):
    """The first step of episode 0 ends when all others are over, which in step none would be."""
    over, lock, done = threading.Event(), threading.Lock(), set()

    def slow(env, action) -> None:
        if env.seed == 0 and env.turn == 1:
            assert over.wait(60)
        elif action == "1":
            with lock:
                done.add(env.seed)
            if done >= set(range(1, 8)):
                over.set()

    plain, _ = played(envs["quick"])
    set_probe(slow)
    records, calls = played(envs[kind], asynchronous=True)
    assert records == plain
    assert sum(rows for rows, _ in calls) == sum(len(record.turns) for record in plain)


def test_seeds_of_replies_differ_by_episode_seat_and_turn_only(envs):
    class Noting(Scripted):
        def generate(self, prompts, sampling):
            assert len(sampling.seeds) == len(prompts)
            for prompt, seed in zip(prompts, sampling.seeds, strict=True):
                assert self.observed.setdefault(seed, prompt) is prompt
            return super().generate(prompts, sampling)

    def seeds_of(env, answer, seed, **arguments) -> set[int]:
        engine = Noting(answer)
        engine.observed = {}
        player = Player(engine, Sampling(seed=seed))
        records = rollout(env, [3, 3, 3], player, asynchronous=True, **arguments)
        assert len(engine.observed) == sum(len(record.turns) for record in records)
        return set(engine.observed)

    quick = envs["quick"]
    first = seeds_of(quick, repeat, 1)
    assert first == seeds_of(quick, repeat, 1, concurrent=1)
    assert not first & seeds_of(quick, repeat, 2)
    with Environments("zerogym/tic_tac_toe-v0") as game:

        def cell(prompt: str) -> str:
            board = re.findall(r"\d", prompt)
            return f"<answer>{board[-1]}</answer>"

        assert len(seeds_of(game, cell, 1)) >= 3  # one player in both seats


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("torch")
    from zerogym.agents.llm.generation.engines import load_generator

    return load_generator("tiny")


def same_up_to_rounding(records, others) -> None:
    """A prompt goes on from texts of calls before, which depend on the order: rounding does too."""
    for record, other in zip(records, others, strict=True):
        assert bare(record) == bare(other)
        for turn, near in zip(record.turns, other.turns, strict=True):
            assert turn.logprobs == pytest.approx(near.logprobs, abs=1e-5)


def bare(record):
    """The record without its log-probabilities."""
    turns = (replace(turn, logprobs=(0.0,) * len(turn.action_ids)) for turn in record.turns)
    return replace(record, turns=tuple(turns))


@pytest.mark.proof
def test_a_model_says_the_same_in_any_order(envs, tiny):
    """One by one, in threads, with other delays, and in any batch.

    In double precision: in single, rounding moves a draw that falls between two tokens.
    """
    model = copy.deepcopy(tiny.model).double()

    def player(batch_size: int) -> Player:
        engine = type(tiny)(model, tiny.tokenizer, batch_size=batch_size)
        return Player(engine, Sampling(12, temperature=3.0, seed=7))

    def sampled(batch_size: int, delay: float, **arguments):
        delays = random.Random(1)
        set_probe(lambda env, action: time.sleep(delay * delays.random()))
        groups = rollout_groups(envs["waiting"], [1, 2, 3], 4, player(batch_size), **arguments)
        return [record for group in groups for record in group]

    begin = sampled(1, 0.0, asynchronous=True)
    numbers = [0] * 4 + [1] * 4 + [2] * 4
    seeds = [1] * 4 + [2] * 4 + [3] * 4
    one_by_one = rollout(envs["waiting"], seeds, player(1), numbers, 1, asynchronous=True)
    for others in one_by_one, sampled(1, 0.02, asynchronous=True):
        same_up_to_rounding(begin, others)
    same_up_to_rounding(begin, sampled(64, 0.02, asynchronous=True))
    assert len({record.turns[0].action for record in begin}) > 6
    # Without `asynchronous`, threads do not change the order of calls: bit for bit.
    assert sampled(1, 0.0) == sampled(1, 0.02) != begin


def test_seats_of_a_game_are_asynchronous_too():
    def hand(prompt: str) -> str:
        return "<answer>check</answer>" if len(prompt) % 2 else "<answer>bet</answer>"

    def games(**arguments):
        players = {seat: Player(Scripted(hand)) for seat in ("player_0", "player_1")}
        with Environments("zerogym/kuhn_poker-v0") as envs:
            return rollout(envs, range(12), players, **arguments)

    assert games(asynchronous=True) == games() == games(asynchronous=True, concurrent=2)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_error_comes_when_no_step_runs_any_more(envs, asynchronous):
    inside, lock, broken = [], threading.Lock(), threading.Event()

    def break_one(env, action) -> None:
        with lock:
            inside.append(env.seed)
        if env.seed == 3:
            broken.set()
            raise LookupError("lost")
        assert broken.wait(60)
        time.sleep(0.2)
        with lock:
            inside.remove(env.seed)

    set_probe(break_one)
    with pytest.raises(LookupError, match="lost"):
        played(envs["waiting"], asynchronous=asynchronous)
    assert inside == [3]
    assert not [t for t in threading.enumerate() if t.name.startswith("rollout")]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_ctrl_c_ends_a_rollout_that_waits(envs, asynchronous):
    """All eight are in their first step when it comes, and none returns before it is raised."""
    steps, together, raised = [], threading.Barrier(8), threading.Event()

    def interrupt(env, action) -> None:
        steps.append(env.seed)
        together.wait(timeout=60)
        if env.seed == 7:
            time.sleep(0.2)  # until the main thread waits, too
            os.kill(os.getpid(), signal.SIGINT)
        assert raised.wait(60)

    def stop(number, frame) -> None:
        raised.set()
        raise KeyboardInterrupt

    set_probe(interrupt)
    before = signal.signal(signal.SIGINT, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            played(envs["waiting"], asynchronous=asynchronous)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(steps) == 8
    assert not [t for t in threading.enumerate() if t.name.startswith("rollout")]


def test_the_simulated_clock():
    from zerogym.benchmarks.speed.llm.rollouts import simulate

    # Two rounds of 3 and 1; the second episode's third call needs no round of its own.
    assert simulate([[3.0], [1.0, 1.0]], call=0.0) == (4.0, 3.0)
    assert simulate([[3.0], [1.0, 1.0]], call=0.5) == (5.0, 3.5)
    # Ready at 1.5 and 2.5 while the engine is busy or free: calls at 0, 1.5, 2.5.
    assert simulate([[1.0, 1.0], [2.0, 1.0]], call=0.5) == (4.0, 4.0)
    assert simulate([[2.0]], call=1.0) == (3.0, 3.0)
