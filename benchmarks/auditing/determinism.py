"""Check that the same seed gives the same episode, in ten ways of running it."""

import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from itertools import zip_longest
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.benchmarks.auditing.subject import MAX_TURNS, Finding, Size, Subject, seeded_candidate
from zerogym.envs.lookup import reward_free
from zerogym.envs.parent_death import end_with_parent
from zerogym.errors import NoSnapshot

THREADS = 4
OTHER_PROCESS_SECONDS = 60


Episodes = dict[int, list[str]]


def episode(subject: Subject, seed: int) -> list[str]:
    """Digests of the steps after `reset(seed)`, played by a candidate with this seed."""
    with closing(subject.make()) as env:
        return list(_steps(env, seed))


def _steps(env: gym.Env[Any, Any], seed: int) -> Iterator[str]:
    yield digest(env.reset(seed=seed)[0])
    yield from _continue(env, seed)


def _continue(env: gym.Env[Any, Any], seed: int) -> Iterator[str]:
    reply = seeded_candidate(seed)
    for turn in range(MAX_TURNS):
        action = reply(env, turn)
        observation, reward, terminated, truncated, _ = env.step(action)
        yield digest((action, observation, float(reward), bool(terminated)))
        if terminated or truncated:
            return


def digest(value: Any) -> str:
    """A short hash of texts, numbers, arrays and tuples of them."""
    parts = value if isinstance(value, tuple) else (value,)
    found = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        found.update(data + b"\x00")
    return found.hexdigest()


def determinism(subject: Subject, size: Size) -> Finding:
    """Compare every way with fresh environments, one after the other."""
    seeds = list(range(1, size.episodes + 1))
    expected = {seed: episode(subject, seed) for seed in seeds}
    results: dict[str, str] = {}
    for name, way in WAYS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = way(subject, seeds)
            except NoSnapshot:
                continue  # where an episode is not in this process, it has no copies
            except Exception as error:
                results[name] = f"{type(error).__name__}: {str(error)[:100]}"
                continue
        same = {seed: expected[seed][: len(found[seed])] for seed in seeds}
        results[name] = "same" if found == same else "differs"
    faults = {name: result for name, result in results.items() if result != "same"}
    message = f"{len(results) - len(faults)} of {len(results)} ways"
    message += ": " + ", ".join(f"{n} {r}" for n, r in list(faults.items())[:3]) if faults else ""
    return Finding("determinism", "fail" if faults else "pass", message, {"ways": results})


def _one_environment(subject: Subject, seeds: list[int]) -> Episodes:
    with closing(subject.make()) as env:
        return {seed: list(_steps(env, seed)) for seed in seeds}


def _other_process(subject: Subject, seeds: list[int], hash_seed: str = "0") -> Episodes:
    done = subprocess.run(
        [
            sys.executable, "-m", __name__, subject.to_json(), json.dumps(seeds), str(os.getpid())
        ],
        capture_output=True, text=True, timeout=OTHER_PROCESS_SECONDS, check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
    found = json.loads(done.stdout.rpartition("EPISODES ")[2])
    return {int(seed): trace for seed, trace in found.items()}


def _other_global_seed(subject: Subject, seeds: list[int]) -> Episodes:
    random.seed(987)
    np.random.seed(987)  # noqa: NPY002 (the global state is what is tested)
    return _one_environment(subject, seeds)


def _interleaved(subject: Subject, seeds: list[int]) -> Episodes:
    """All environments at once, a step each in turn."""
    with ExitStack() as made:
        envs = [made.enter_context(closing(subject.make())) for _ in seeds]
        running = [_steps(env, seed) for env, seed in zip(envs, seeds, strict=True)]
        traces = list(zip(*zip_longest(*running), strict=True))
    return {
        seed: [step for step in trace if step is not None]
        for seed, trace in zip(seeds, traces, strict=True)
    }


def _threads(subject: Subject, seeds: list[int]) -> Episodes:
    with ThreadPoolExecutor(THREADS) as pool:
        runs = pool.map(lambda seed: episode(subject, seed), seeds)
        return dict(zip(seeds, runs, strict=True))


def _copied(subject: Subject, seeds: list[int], snapshot: bool = False) -> Episodes:
    """Continue after the reset in a pickled copy, or in another environment from a snapshot."""
    found = {}
    for seed in seeds:
        with closing(subject.make()) as env, closing(subject.make()) as fresh:
            first = digest(env.reset(seed=seed)[0])
            if snapshot:
                other = fresh
                other.reset(seed=seed + 1000)
                other.unwrapped.set_state(env.unwrapped.get_state())  # type: ignore[attr-defined]
            else:
                other = pickle.loads(pickle.dumps(env))
            found[seed] = [first, *_continue(other, seed)]
    return found


def _vectorised(subject: Subject, seeds: list[int]) -> Episodes:
    """First observations and first rewards of synchronous and asynchronous vector environments."""
    actions = []
    for seed in seeds:
        with closing(subject.make()) as env:
            env.reset(seed=seed)
            actions.append(seeded_candidate(seed)(env, 0))
    found: list[Episodes] = []
    for mode in ("sync", "async"):
        given = {**reward_free(subject.id), **subject.kwargs}
        envs = gym.make_vec(subject.id, len(seeds), mode, vector_kwargs={}, **given)
        try:
            first = [digest(one) for one in envs.reset(seed=seeds)[0]]  # type: ignore[arg-type]
            steps = zip(actions, *envs.step(tuple(actions))[:3], strict=False)
            after = [digest((act, now, float(gain), bool(end))) for act, now, gain, end in steps]
        finally:
            envs.close()
        found.append(dict(zip(seeds, map(list, zip(first, after, strict=True)), strict=True)))
    same = found[0] == found[1]
    return found[0] if same else {seed: ["sync and async differ"] for seed in seeds}


WAYS: dict[str, Callable[[Subject, list[int]], Episodes]] = {
    "one environment again": _one_environment,
    "another process": _other_process,
    "another PYTHONHASHSEED": partial(_other_process, hash_seed="424242"),
    "other global seeds": _other_global_seed,
    "other order": lambda subject, seeds: _one_environment(subject, seeds[::-1]),
    "interleaved": _interleaved,
    "threads": _threads,
    "pickled": _copied,
    "restored from a snapshot": partial(_copied, snapshot=True),
    "vectorised": _vectorised,
}


def main() -> None:
    """Print the episodes, in another process."""
    end_with_parent(int(sys.argv[3]))
    subject, seeds = Subject.from_json(sys.argv[1]), json.loads(sys.argv[2])
    found = {seed: episode(subject, seed) for seed in seeds}
    sys.stdout.write("EPISODES " + json.dumps(found))


if __name__ == "__main__":
    main()
