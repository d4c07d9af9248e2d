"""The rounds of a step: a rollouts part requests episodes, and gets those that were played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.agents.llm.algorithms.episode_tables import without_dropped
from zerogym.agents.llm.algorithms.rollout_tables import Draw, Group, Prompts, Seats, Step
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.planned import play_planned
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.llm.rollout.request import PlannedEpisode, Request
from zerogym.agents.llm.rollout.runner import Players
from zerogym.agents.parts import errors_of
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.registry import game_of
from zerogym.errors import PartFailed, SandboxUnavailable

Roll = Callable[[Environments, Sequence[PlannedEpisode], Players, bool, bool], list[Trajectory]]


@dataclass(frozen=True)
class DrawPrompts:
    """Draws the prompts of a step with the part of the run, from its state.

    Attributes:
        part: The part.
        state: What it has learned.
        task: The task of the run.
        rng: The random numbers of the step.
        seat: Puts opponents into seats of the prompts; None: there are none.
    """

    part: Prompts
    state: Mapping[str, Any]
    task: TaskSpec
    rng: np.random.Generator
    seat: Callable[[list[Prompt]], list[Prompt]] | None = None

    def __call__(self, count: int) -> list[Prompt]:
        """Return so many prompts.

        Raises:
            PartFailed: If the part raises, or returns anything else.
        """
        with errors_of(self.part):
            drawn = list(self.part(Draw(count, self.rng, self.task, self.state)))
        if len(drawn) != count or not all(isinstance(one, Prompt) for one in drawn):
            raise PartFailed(f"{self.part.title()} drew {drawn!r:.60}, not {count} prompts")
        return drawn if self.seat is None else self.seat(drawn)


class Rounds:
    """The episodes of a step, which grow with each round.

    Args:
        envs: Environments of the run's task.
        config: The settings of the run.
        rng: Generator of a seed for the player of each round, or of the step.
        make_players: Makes the policy with the seed of its sampling.
        roll: Plays the episodes.

    Attributes:
        prompts: The prompt of each group.
        rounds: The number of rounds.
    """

    def __init__(
        self,
        envs: Environments,
        config: GRPOConfig,
        rng: np.random.Generator,
        make_players: Callable[[int], Players],
        roll: Roll = play_planned,
    ) -> None:
        self._envs, self._config, self._rng = envs, config, rng
        self._make_players, self._roll = make_players, roll
        self._algorithm = config.algorithm
        self._part = self._algorithm.rolling
        self._seed: int | None = None  # of the player, where draws are numbered by request
        self._group_of: list[int] = []  # by request
        self._groups: list[dict[str, Group]] = []  # by seat
        self._episodes = 0
        self.prompts: list[Prompt] = []
        self.rounds = 0

    @property
    def groups(self) -> list[Group]:
        """All groups that were played, those of each seat of a problem together."""
        return [group for seats in self._groups for group in seats.values()]

    def take(self, step: Step) -> list[Group]:
        """Play all rounds of the part, and return the groups to train on.

        Raises:
            PartFailed: If the part raises, or returns something else.
            SandboxUnavailable: If tools failed in all episodes.
        """
        part, answer = self._part, None
        with errors_of(part):
            rolling = part(step)
        while True:
            with errors_of(part):
                try:
                    requests = list(rolling.send(answer))  # type: ignore[arg-type]
                except StopIteration as end:
                    kept = [list(group) for group in end.value or ()]
                    break
            answer = self._play(requests)
        if not all(isinstance(each, Trajectory) for group in kept for each in group):
            raise PartFailed(f"{part.title()} returned something else than groups of episodes")
        return kept

    def _play(self, requests: Sequence[Request]) -> list[Seats]:
        """Play a round, and return the usable groups of each seat for each request."""
        if not requests:
            return []
        planned: list[PlannedEpisode] = []
        owners: list[int] = []  # the request of each episode
        for place, request in enumerate(requests):
            group = self._group(request)
            numbered = (len(self._group_of) - 1,)
            count = request.count or request.prompt.size or self._config.group_size
            for own in range(count):
                key = (*numbered, own) if self._part.numbered else (len(planned),)
                number = self._episodes + len(planned)
                planned.append(PlannedEpisode(number, request.prompt, group, key, request.start))
                owners.append(place)
        if self._seed is None or not self._part.numbered:
            self._seed = int(self._rng.integers(2**63))
        players = self._make_players(self._seed)
        found = self._roll(
            self._envs, planned, players, self._config.asynchronous, self._part.numbered
        )
        played: list[dict[str, Group]] = [{} for _ in requests]
        for one in found:
            if one.seat in self.prompts[one.group].others:
                continue  # what an opponent wrote
            self._groups[one.group].setdefault(one.seat, []).append(one)
            if one.counts and (one.turns or game_of(one.env) is None):
                own_seats = played[owners[one.episode - self._episodes]]
                own_seats.setdefault(one.seat, []).append(one)
        self._episodes += len(planned)
        self.rounds += 1
        if not any(each.counts for group in self.groups for each in group):
            raise SandboxUnavailable("tools of the environment failed in all episodes of a step")
        return self._filtered(requests, [list(seats.values()) for seats in played])

    def _filtered(self, requests: Sequence[Request], played: Sequence[Seats]) -> list[Seats]:
        """Return the groups of a round without what filters drop; too small ones are left out."""
        algorithm = self._algorithm
        large = [
            [
                each
                for each in seats
                if one.joins is not None or len(each) >= algorithm.minimum_group
            ]
            for one, seats in zip(requests, played, strict=True)
        ]
        left = iter(without_dropped(algorithm.filters, [each for seats in large for each in seats]))
        kept = [[next(left) for _ in seats] for seats in large]
        return [[each for each in seats if each] for seats in kept]

    def _group(self, request: Request) -> int:
        """Return the number of a request's group, which is a new one unless it joins another."""
        if request.joins is None:
            self._groups.append({})
            self.prompts.append(request.prompt)
            self._group_of.append(len(self.prompts) - 1)
        elif not 0 <= request.joins < len(self._group_of):
            raise PartFailed(f"{self._part.title()} joins request {request.joins}, which is none")
        else:
            self._group_of.append(self._group_of[request.joins])
        return self._group_of[-1]
