"""Updates a second of offline agents, ours and d3rlpy's in turn.

    python -m zerogym.benchmarks.speed.offline [--updates 100] [--rounds 3] [--threads 1]

Both draw batches of 256 from the same random transitions (17 numbers an observation; 6 actions, or
a vector of 6), with two hidden layers of 256 units and Adam, and their own losses: behaviour
cloning and conservative Q-learning with discrete actions and with vectors, and IQL with vectors.
d3rlpy's IQL has no discrete actions; its CQL with vectors also tunes the penalty's weight, from as
many sampled actions as ours. A round of ours stands between any two of d3rlpy's; CPU
seconds count. Without d3rlpy, which is installed apart (`pip install d3rlpy`), ours stand alone.
"""

import importlib
import statistics
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.offline import OfflineAgent, OfflineConfig, relabelled
from zerogym.benchmarks.speed.llm.timing import timed
from zerogym.benchmarks.speed.loops import in_turn, options, show

ROWS, EPISODE, OBSERVATION, ACTIONS = 10_000, 100, 17, 6
CASES = (  # and whether discrete
    ("bc", True), ("bc", False), ("cql", True), ("cql", False), ("iql", False),
)  # fmt: skip
PEERS = {
    ("bc", True): "DiscreteBCConfig", ("bc", False): "BCConfig", ("cql", True): "DiscreteCQLConfig",
    ("cql", False): "CQLConfig", ("iql", False): "IQLConfig",
}  # fmt: skip


def data_of(discrete: bool) -> Dataset:
    """Random transitions, in episodes of equal length that end."""
    rng = np.random.default_rng(0)
    observations = rng.normal(size=(ROWS, OBSERVATION)).astype(np.float32)
    actions = (
        rng.integers(ACTIONS, size=ROWS)
        if discrete
        else rng.uniform(-1, 1, (ROWS, ACTIONS)).astype(np.float32)
    )
    ends = np.arange(ROWS) % EPISODE == EPISODE - 1
    return Dataset(observations, actions, np.roll(observations, -1, 0), terminated=ends)


def rewards_of(observations: Any, actions: Any, following: Any) -> Any:
    """A reward for each transition."""
    return following[:, 0]


def ours(name: str, discrete: bool, updates: int) -> Callable[[], None]:
    """Return a function that takes so many updates of our agent."""
    data = relabelled(data_of(discrete), rewards_of)
    agent = OfflineAgent(OfflineConfig(method=name), data)

    def learn() -> None:
        agent.learn(data, updates)

    return learn


def theirs(name: str, discrete: bool, updates: int) -> Callable[[], None]:
    """Return a function that takes so many updates of d3rlpy's agent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d3rlpy: Any = importlib.import_module("d3rlpy")
    data = data_of(discrete)
    rewards = rewards_of(data.observations, data.actions, data.next_observations)
    stored = d3rlpy.dataset.MDPDataset(data.observations, data.actions, rewards, data.terminated)
    agent = getattr(d3rlpy.algos, PEERS[name, discrete])(batch_size=256).create(device="cpu:0")
    agent.build_with_dataset(stored)

    def learn() -> None:
        for _ in range(updates):
            agent.update(stored.sample_transition_batch(256))

    return learn


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table."""
    given = options(
        __doc__,
        arguments,
        updates=(100, "a round"),
        rounds=(3, "whose median counts"),
        threads=(1, ""),
    )
    torch.set_num_threads(given.threads)
    kinds = {"zerogym": ours} | ({"d3rlpy": theirs} if find_spec("d3rlpy") else {})
    rows = []
    for name, discrete in CASES:
        calls = {kind: make(name, discrete, given.updates) for kind, make in kinds.items()}
        for warm in calls.values():
            warm()
        times = in_turn({kind: partial(timed, call) for kind, call in calls.items()}, given.rounds)
        speeds = {k: given.updates / statistics.median(s for s, _ in t) for k, t in times.items()}
        peer = speeds.get("d3rlpy")
        label = f"{name}, {'discrete' if discrete else 'vectors'}"
        shown = ("", "") if peer is None else (f"{peer:,.0f}", f"{speeds['zerogym'] / peer:.2f}")
        rows.append((label, f"{speeds['zerogym']:,.0f}", *shown))
    show(("updates a CPU second", "zerogym", "d3rlpy", "ratio"), rows)


if __name__ == "__main__":
    main()
