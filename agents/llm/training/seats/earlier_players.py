"""Earlier weights of a run as players: those of its start, and those that were kept on the way.

The weights that an opponent may meet later are saved in `out/past/after-000020`, say, as the update
ends; which of them are met follows from the step alone (`opponents/earlier_selves.py`), so a run
that is resumed from an older checkpoint meets the same ones: it writes the newer ones again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.protocol import Generator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.loading import save_model
from zerogym.agents.llm.rollout.episode import Player, Players, seed_of
from zerogym.agents.llm.training.seats.seating import updates_of
from zerogym.agents.self_play.opponents.table import Opponent

MODELS_HELD = 8  # in memory; the oldest is dropped


class EarlierWeights:
    """The earlier weights of a run, kept as folders and loaded when they are met.

    Args:
        config: The settings of the run.
        others: The opponents of all its stages.
    """

    def __init__(self, config: GRPOConfig, others: Sequence[Opponent]) -> None:
        self._config, self._others = config, others
        self._engines: dict[int, Generator] = {}  # by updates

    def keep(self, updates: int, model: Any, tokenizer: Any) -> None:
        """Save the weights after so many updates, if an opponent may need them."""
        if not any(other.needs_weights(updates) for other in self._others):
            return
        if not parallel.rank():
            save_model(model, tokenizer, self._folder(updates))
        parallel.barrier()

    def players(self, learner: Callable[[int], Players], seed: int) -> Players:
        """Return the players of a step: the learner, and earlier weights by name if they are met.

        Args:
            learner: Makes the policy of the present weights with the seed of its sampling.
            seed: Of the sampling.
        """
        players = learner(seed)
        if not any(other.of_run for other in self._others):
            return players
        assert isinstance(players, Player)  # adapters of seats have no opponents
        return WithEarlier(players, self)

    def engine(self, updates: int) -> Generator:
        """Return the engine of the weights after so many updates.

        Raises:
            ModelNotFound: If their folder is not there any more.
        """
        if updates not in self._engines:
            config = self._config
            name = self._folder(updates) if updates else config.model
            while len(self._engines) >= MODELS_HELD:
                self._engines.pop(min(self._engines))
            self._engines[updates] = load_generator(name, config.device, config.dtype)
        return self._engines[updates]

    def _folder(self, updates: int) -> Path:
        return Path(self._config.out) / "past" / f"after-{updates:06d}"


class WithEarlier(Mapping[str, Player]):
    """The learner in each seat, and by name players with earlier weights and its settings.

    Args:
        learner: The learner.
        earlier: The weights.
    """

    def __init__(self, learner: Player, earlier: EarlierWeights) -> None:
        self._learner, self._earlier = learner, earlier
        self._players: dict[int, Player] = {}

    def __getitem__(self, name: str) -> Player:
        updates = updates_of(name)
        if updates is None:
            return self._learner
        if updates not in self._players:
            sampling = self._learner.sampling
            self._players[updates] = replace(
                self._learner,
                generator=self._earlier.engine(updates),
                sampling=replace(sampling, seed=seed_of(sampling.seed, updates)),
            )
        return self._players[updates]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
