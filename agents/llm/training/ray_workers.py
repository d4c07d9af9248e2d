"""Workers on Ray that play the episodes of a step: on this machine, or on a cluster.

Each worker is a process with its own environments and its own copy of the model. The weights are
sent to all of them once a step, the problems are divided into blocks, and the workers return the
records of the episodes. The random numbers of a reply depend on its episode, seat and turn only, so
that a step does not depend on the number of workers, nor on which of them died on the way (as far
as a model computes a row the same way in any batch).

With `RAY_ADDRESS` the workers start on that cluster, whose machines need zerogym and the model; it
was tried with two nodes on one machine. Otherwise Ray starts on this machine for the length of the
run, unless the program runs it already; then it is left running. Left out: workers on GPUs (each
computes on a processor's core), evaluation by workers, batches without stragglers.
"""

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any

from safetensors.torch import load, save

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.lora import trained
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Player, Players
from zerogym.agents.llm.rollout.planned import play_planned
from zerogym.agents.llm.rollout.request import PlannedEpisode
from zerogym.agents.llm.training.batch import player_of
from zerogym.agents.llm.training.starting_model import model_of_run
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.references import import_named, named_modules
from zerogym.errors import EngineFailed, require

RESTARTS = 3  # of workers that died, in one step

Block = list[PlannedEpisode]


class Worker:
    """The code of a worker's process.

    Args:
        settings: The settings of the run, as JSON values.
        modules: Those that the user named in the process of the run.
        folders: Where that process finds modules.

    Raises:
        CannotImport: If one of the modules is not on this machine.
    """

    def __init__(
        self, settings: dict[str, Any], modules: Sequence[str], folders: Sequence[str]
    ) -> None:
        import torch

        import zerogym  # noqa: F401  (registers the ids)

        sys.path += [folder for folder in folders if folder not in sys.path]
        for module in modules:  # the settings may name opponents, wrappers and tasks of them
            import_named(module)
        torch.set_num_threads(1)
        self._config = GRPOConfig(**(settings | {"device": "cpu"}))
        self._engine = TransformersGenerator(*model_of_run(self._config, None))
        self._engine.weight_version = -1  # its own weights are not the step's
        config = self._config
        self._envs = Environments(config.env, config.env_kwargs, config.wrappers)

    def play(self, block: Block, seed: int, weights: bytes, version: int) -> list[dict[str, Any]]:
        """Play some episodes of a step, and return their records.

        Args:
            block: The episodes.
            seed: Seed of the player.
            weights: All trained parameters, as safetensors.
            version: Version of the weights.
        """
        if self._engine.weight_version != version:
            model = self._engine.model
            for name, value in load(weights).items():
                trained(model)[name].data.copy_(value)
            self._engine.update_weights(model, version)
        player = player_of(self._config, self._engine, seed)
        found = play_planned(self._envs, block, player, self._config.asynchronous, own_seeds=True)
        return [trajectory.to_record() for trajectory in found]


class RayWorkers:
    """All workers of a run; a context manager.

    Args:
        config: The settings; `ray` is the number of workers.
        model: The model that is trained.

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

    def play_planned(
        self,
        envs: Environments,
        planned: Sequence[PlannedEpisode],
        players: Players,
        asynchronous: bool,
        own_seeds: bool,
    ) -> list[Trajectory]:
        """Play episodes as `play_planned` does with `own_seeds`, in the workers' own environments.

        Raises:
            EngineFailed: If workers die again and again.
            Exception: The error of a worker.
        """
        assert isinstance(players, Player)
        version = players.generator.weight_version
        if version != self._version:
            weights = {name: one.detach().cpu() for name, one in trained(self._model).items()}
            self._weights, self._version = self._ray.put(save(weights)), version
        if not planned:
            return []
        blocks = _blocks(list(planned), len(self._workers))
        records = self._played(blocks, players.sampling.seed)
        return sorted(map(Trajectory.from_record, records), key=attrgetter("episode"))

    def _played(self, blocks: Sequence[Block], seed: int) -> list[dict[str, Any]]:
        """Return the records of all blocks; another worker plays those of one that dies."""
        pending = {self._submit(*one, seed): one for one in enumerate(blocks)}  # place and block
        records: list[dict[str, Any]] = []
        restarts = 0
        while pending:
            (done,), _ = self._ray.wait(list(pending), num_returns=1)
            place, block = pending.pop(done)
            try:
                records += self._ray.get(done)
            except self._ray.exceptions.RayActorError as error:
                restarts += 1
                if restarts > RESTARTS:
                    raise EngineFailed(f"workers of Ray die again and again: {error}") from error
                self._workers[place] = self._start()
                pending[self._submit(place, block, seed)] = (place, block)
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from None  # as if it had been raised here
        return records

    def _submit(self, place: int, block: Block, seed: int) -> Any:
        return self._workers[place].play.remote(block, seed, self._weights, self._version)

    def _start(self) -> Any:
        worker = self._ray.remote(num_cpus=1)(Worker)
        return worker.remote(self._config.record(), sorted(named_modules), sys.path)

    def __enter__(self) -> "RayWorkers":
        count = self._config.ray
        self._started = not self._ray.is_initialized()
        if self._started:
            own = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": count}
            self._ray.init(
                include_dashboard=False, log_to_driver=False, logging_level="ERROR", **own
            )
        cores = self._ray.cluster_resources().get("CPU", 0)
        if cores < count:  # the others would never start
            self.__exit__()
            raise ValueError(f"ray={count} is more than the {cores:g} cores that Ray has")
        self._workers = [self._start() for _ in range(count)]
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            self._ray.kill(worker)
        if self._started:
            self._ray.shutdown()


def _blocks(episodes: Block, count: int) -> list[Block]:
    """Divide episodes into as many blocks as there are workers, none empty, sizes alike."""
    count = min(count, len(episodes))
    ends = [len(episodes) * number // count for number in range(count + 1)]
    return [episodes[start:end] for start, end in pairwise(ends)]
