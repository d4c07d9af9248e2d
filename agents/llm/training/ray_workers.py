"""Workers on Ray that play the episodes of a step: on this machine, or on a cluster.

Each worker is a process with its own worlds and its own copy of the model. The weights go to all of
them once a step, the problems are dealt out in blocks, and what comes back are the records of the
episodes. The random numbers of a reply depend on its episode, seat and turn only, so that a step
does not depend on how many workers there are, nor on which of them died on the way (as far as a
model computes a row the same way in any batch).

With `RAY_ADDRESS` the workers start on that cluster, whose machines need zerogym and the model (not
yet tried: no cluster was at hand); otherwise Ray starts on this machine for the length of the run,
unless the program runs it already; then it is left running. Left out: workers on GPUs (each
computes on a processor's core), evaluation by workers, batches that wait for no straggler.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from safetensors.torch import load, save

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.lora import trained
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Episode, Player, Players
from zerogym.agents.llm.rollout.runner import grouped, play
from zerogym.agents.llm.training.batch import player_of
from zerogym.agents.llm.training.starting_model import model_of_run
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import EngineFailed, require

RESTARTS = 3  # of workers that died, in one step

Block = list[tuple[int, int, int]]  # number, seed and group of episodes


class Worker:
    """What runs in a worker's process.

    Args:
        settings: Those of the run, as JSON has them.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        import torch

        import zerogym  # noqa: F401  (registers the ids)

        torch.set_num_threads(1)
        lists = {name: tuple(value) for name, value in settings.items() if isinstance(value, list)}
        self._config = GRPOConfig(**(settings | lists | {"device": "cpu"}))
        self._engine = TransformersGenerator(*model_of_run(self._config, None))
        self._engine.weight_version = -1  # whatever its weights are, they are not the step's
        self._worlds = Environments(self._config.env, self._config.env_kwargs)

    def play(self, block: Block, seed: int, weights: bytes, version: int) -> list[dict[str, Any]]:
        """The records of some episodes of a step.

        Args:
            block: The episodes.
            seed: Of the player.
            weights: All that is trained, as safetensors.
            version: Of the weights.
        """
        if self._engine.weight_version != version:
            model = self._engine.model
            for name, value in load(weights).items():
                trained(model)[name].data.copy_(value)
            self._engine.update_weights(model, version)
        episodes = [Episode(*one) for one in block]
        player = player_of(self._config, self._engine, seed)
        found = play(
            self._worlds, episodes, player, len(block), self._config.asynchronous, None,
            own_seeds=True,
        )  # fmt: skip
        return [trajectory.to_record() for trajectory in found]


class RayWorkers:
    """All workers of a run; to be used in a `with` block.

    Args:
        config: The settings; `ray` is the number of workers.
        model: What is trained.

    Raises:
        MissingExtra: If Ray is not installed.
        ValueError: If there are several processes, or, as the block begins, fewer cores in Ray than
            workers.
    """

    def __init__(self, config: GRPOConfig, model: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before the first import
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # its future default
        self._ray: Any = require("ray", "ray", f"ray={config.ray}")
        if parallel.world_size() > 1:
            raise ValueError("ray is for one process: start the run without torchrun")
        self._config, self._model = config, model
        self._started = False
        self._workers: list[Any] = []
        self._weights: Any = None
        self._version = -1

    def rollout_groups(
        self,
        envs: Environments,
        seeds: Sequence[int],
        group_size: int,
        players: Players,
        asynchronous: bool = False,
    ) -> list[list[Trajectory]]:
        """As `rollout.rollout_groups`, but that the workers' own worlds are played.

        Raises:
            EngineFailed: If workers die again and again.
            Exception: What a worker raised.
        """
        assert isinstance(players, Player)
        version = players.generator.weight_version
        if version != self._version:
            weights = {name: one.detach().cpu() for name, one in trained(self._model).items()}
            self._weights, self._version = self._ray.put(save(weights)), version
        whole = [
            (group * group_size + place, seed, group)
            for group, seed in enumerate(seeds)
            for place in range(group_size)
        ]
        records = self._played(_blocks(whole, len(self._workers)), players.sampling.seed)
        found = sorted((Trajectory.from_record(one) for one in records), key=_episode)
        return grouped(found, len(whole), group_size)

    def _played(self, blocks: Sequence[Block], seed: int) -> list[dict[str, Any]]:
        """The records of all blocks; those of a worker that dies are asked of another."""
        asked = {self._ask(*one, seed): one for one in enumerate(blocks)}  # place and block
        records: list[dict[str, Any]] = []
        restarts = 0
        while asked:
            (done,), _ = self._ray.wait(list(asked), num_returns=1)
            place, block = asked.pop(done)
            try:
                records += self._ray.get(done)
            except self._ray.exceptions.RayActorError as error:
                restarts += 1
                if restarts > RESTARTS:
                    raise EngineFailed(f"workers of Ray die again and again: {error}") from error
                self._workers[place] = self._start()
                asked[self._ask(place, block, seed)] = (place, block)
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from None  # as if it had been raised here
        return records

    def _ask(self, place: int, block: Block, seed: int) -> Any:
        return self._workers[place].play.remote(block, seed, self._weights, self._version)

    def _start(self) -> Any:
        return self._ray.remote(num_cpus=1)(Worker).remote(asdict(self._config))

    def __enter__(self) -> "RayWorkers":
        wanted = self._config.ray
        self._started = not self._ray.is_initialized()
        if self._started:
            own = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": wanted}
            quiet = {"log_to_driver": False, "logging_level": "ERROR"}
            self._ray.init(include_dashboard=False, **quiet, **own)
        cores = self._ray.cluster_resources().get("CPU", 0)
        if cores < wanted:  # the others would be waited for without end
            self.__exit__()
            raise ValueError(f"ray={wanted} is more than the {cores:g} cores that Ray has")
        self._workers = [self._start() for _ in range(wanted)]
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            self._ray.kill(worker)
        if self._started:
            self._ray.shutdown()


def _blocks(episodes: Block, count: int) -> list[Block]:
    """As many parts as there are workers, none empty, as equal as can be."""
    count = min(count, len(episodes))
    ends = [len(episodes) * number // count for number in range(count + 1)]
    return [episodes[start:end] for start, end in pairwise(ends)]


def _episode(trajectory: Trajectory) -> int:
    return trajectory.episode
