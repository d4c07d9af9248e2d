"""Ten ways in which the same seed must give the same episode."""

import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.benchmarks.audit.subject import MAX_TURNS, Finding, Size, Subject, wanderer

THREADS = 4
OTHER_PROCESS_SECONDS = 60


def episode(env: gym.Env[Any, Any], seed: int) -> list[str]:
    """What happens after `reset(seed)` when a wanderer with this seed plays: a digest a step."""
    return [digest(env.reset(seed=seed)[0]), *_continue(env, seed)]


def _continue(env: gym.Env[Any, Any], seed: int) -> list[str]:
    trace, reply = [], wanderer(seed)
    for turn in range(MAX_TURNS):
        action = reply(env, turn)
        observation, reward, terminated, truncated, _ = env.step(action)
        trace.append(digest((action, observation, float(reward), bool(terminated))))
        if terminated or truncated:
            break
    return trace


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
    expected = {seed: episode(subject.make(), seed) for seed in seeds}
    results: dict[str, str] = {}
    for name, way in WAYS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = way(subject, seeds)
            except Exception as error:
                results[name] = f"{type(error).__name__}: {str(error)[:100]}"
                continue
        wanted = {seed: expected[seed][: len(found[seed])] for seed in seeds}
        results[name] = "same" if found == wanted else "differs"
    faults = {name: result for name, result in results.items() if result != "same"}
    says = f"{len(results) - len(faults)} of {len(results)} ways"
    says += ": " + ", ".join(f"{n} {r}" for n, r in list(faults.items())[:3]) if faults else ""
    return Finding("determinism", "fail" if faults else "pass", says, {"ways": results})


Episodes = dict[int, list[str]]


def _same_environment(subject: Subject, seeds: list[int]) -> Episodes:
    env = subject.make()
    return {seed: episode(env, seed) for seed in seeds}


def _other_process(subject: Subject, seeds: list[int], hash_seed: str = "0") -> Episodes:
    done = subprocess.run(
        [sys.executable, "-m", __name__, subject.to_json(), json.dumps(seeds)],
        capture_output=True, text=True, timeout=OTHER_PROCESS_SECONDS, check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
    found = json.loads(done.stdout.rpartition("EPISODES ")[2])
    return {int(seed): trace for seed, trace in found.items()}


def _other_hash_seed(subject: Subject, seeds: list[int]) -> Episodes:
    return _other_process(subject, seeds, "424242")


def _other_global_seed(subject: Subject, seeds: list[int]) -> Episodes:
    random.seed(987)
    np.random.seed(987)  # noqa: NPY002 (the global state is what is tested)
    env = subject.make()
    return {seed: episode(env, seed) for seed in seeds}


def _other_order(subject: Subject, seeds: list[int]) -> Episodes:
    env = subject.make()
    return {seed: episode(env, seed) for seed in reversed(seeds)}


def _interleaved(subject: Subject, seeds: list[int]) -> Episodes:
    """All alive at once, a step each in turn."""
    envs = {seed: subject.make() for seed in seeds}
    found = {seed: [digest(env.reset(seed=seed)[0])] for seed, env in envs.items()}
    replies = {seed: wanderer(seed) for seed in seeds}
    running = list(seeds)
    for turn in range(MAX_TURNS):
        for seed in list(running):
            action = replies[seed](envs[seed], turn)
            observation, reward, terminated, truncated, _ = envs[seed].step(action)
            found[seed].append(digest((action, observation, float(reward), bool(terminated))))
            if terminated or truncated:
                running.remove(seed)
    return found


def _threads(subject: Subject, seeds: list[int]) -> Episodes:
    with ThreadPoolExecutor(THREADS) as pool:
        runs = pool.map(lambda seed: episode(subject.make(), seed), seeds)
        return dict(zip(seeds, runs, strict=True))


def _pickled(subject: Subject, seeds: list[int]) -> Episodes:
    """Pickled after the reset, and played on in the copy."""
    found = {}
    for seed in seeds:
        env = subject.make()
        first = digest(env.reset(seed=seed)[0])
        found[seed] = [first, *_continue(pickle.loads(pickle.dumps(env)), seed)]
    return found


def _restored(subject: Subject, seeds: list[int]) -> Episodes:
    """A snapshot after the reset, restored in an environment that was somewhere else."""
    found = {}
    for seed in seeds:
        env, other = subject.make(), subject.make()
        first = digest(env.reset(seed=seed)[0])
        other.reset(seed=seed + 1000)
        other.unwrapped.set_state(env.unwrapped.get_state())  # type: ignore[attr-defined]
        found[seed] = [first, *_continue(other, seed)]
    return found


def _vectorised(subject: Subject, seeds: list[int]) -> Episodes:
    """First observations and first rewards of synchronous and asynchronous vector environments."""
    found: Episodes = {}
    for mode in ("sync", "async"):
        envs = gym.make_vec(subject.id, len(seeds), mode, vector_kwargs={}, **dict(subject.kwargs))
        try:
            now = _first_step(subject, envs, seeds)
        finally:
            envs.close()
        if found and now != found:
            return {seed: ["sync and async differ"] for seed in seeds}
        found = now
    return found


def _first_step(subject: Subject, envs: gym.vector.VectorEnv, seeds: list[int]) -> Episodes:
    observations, _ = envs.reset(seed=seeds)  # type: ignore[arg-type]
    singles = {seed: subject.make() for seed in seeds}
    actions = []
    for seed, env in singles.items():
        env.reset(seed=seed)
        actions.append(wanderer(seed)(env, 0))
    first = [digest(one) for one in observations]
    after, rewards, ended, _, _ = envs.step(tuple(actions))
    return {
        seed: [first[n], digest((actions[n], after[n], float(rewards[n]), bool(ended[n])))]
        for n, seed in enumerate(seeds)
    }


WAYS: dict[str, Callable[[Subject, list[int]], Episodes]] = {
    "one environment again": _same_environment,
    "another process": _other_process,
    "another PYTHONHASHSEED": _other_hash_seed,
    "other global seeds": _other_global_seed,
    "other order": _other_order,
    "interleaved": _interleaved,
    "threads": _threads,
    "pickled": _pickled,
    "restored from a snapshot": _restored,
    "vectorised": _vectorised,
}


def main() -> None:
    """In another process: print the episodes."""
    subject, seeds = Subject.from_json(sys.argv[1]), json.loads(sys.argv[2])
    found = {seed: episode(subject.make(), seed) for seed in seeds}
    sys.stdout.write("EPISODES " + json.dumps(found))


if __name__ == "__main__":
    main()
