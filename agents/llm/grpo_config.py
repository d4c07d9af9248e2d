"""Settings of a GRPO run, from the groups of `config`; importing them loads no torch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import product
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.agents.llm.algorithms.presets import get_preset
from zerogym.agents.llm.algorithms.rollouts.refill import Refill
from zerogym.agents.llm.algorithms.stage_table import STAGES, Stages
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.config.adapters import AdaptersSettings
from zerogym.agents.llm.config.algorithm import AlgorithmSettings
from zerogym.agents.llm.config.computing import ComputingSettings
from zerogym.agents.llm.config.critic import CriticSettings
from zerogym.agents.llm.config.divergence import DivergenceSettings
from zerogym.agents.llm.config.episodes import EpisodesSettings
from zerogym.agents.llm.config.evaluation import EvaluationSettings
from zerogym.agents.llm.config.generation import GenerationSettings
from zerogym.agents.llm.config.language_model import LanguageModelSettings
from zerogym.agents.llm.config.objective import ObjectiveSettings
from zerogym.agents.llm.config.off_policy import OffPolicySettings
from zerogym.agents.llm.config.optimiser import OptimiserSettings
from zerogym.agents.llm.config.run import RunSettings
from zerogym.agents.llm.config.staged import settings_of_stages
from zerogym.agents.llm.config.task import TaskSettings
from zerogym.agents.llm.rollout.wrapping import check_task, check_text_wrappers
from zerogym.agents.parts import Part
from zerogym.agents.settings import check_at_least, check_types, groups_of
from zerogym.envs.registry import game_of


@describe_fields
@dataclass(frozen=True)
class GRPOConfig(  # the fields of the last base come first
    ComputingSettings,
    RunSettings,
    EvaluationSettings,
    AdaptersSettings,
    OptimiserSettings,
    CriticSettings,
    OffPolicySettings,
    DivergenceSettings,
    ObjectiveSettings,
    AlgorithmSettings,
    GenerationSettings,
    EpisodesSettings,
    LanguageModelSettings,
    TaskSettings,
):
    """Settings of a run.

    The preset names an algorithm; other settings change a part of it, None keeps the preset's.

    Raises:
        ValueError: If a number is out of its range, settings contradict each other, or the split
            is that of the test problems.
        TypeError: If a value is of another type than its field, or `env_kwargs` holds other than
            JSON values.
        UnknownName: If the preset, or a part of an algorithm, does not exist.
    """

    def __post_init__(self) -> None:
        check_types(self)
        for each in fields(self):
            if isinstance(getattr(self, each.name), list):  # JSON has no tuples
                object.__setattr__(self, each.name, tuple(getattr(self, each.name)))
        for name, table in TABLES.items():
            if isinstance(getattr(self, name), Mapping):  # a record of a part
                object.__setattr__(self, name, table.make(getattr(self, name)))
        for group in groups_of(type(self)).values():
            group._check(self)
        check_at_least(self, group_size=self.algorithm.minimum_group)
        self._check_decoding()
        if self.staleness and (self.backend != "transformers" or self.servers):
            engine = "servers" if self.servers else repr(self.backend)
            raise ValueError(f"staleness needs backend='transformers', got {engine}")
        if self.staleness and not self.algorithm.corrector.corrects:
            raise ValueError("staleness needs weights of replies: set correction, say 'token_mask'")
        self._check_parts()
        self._check_values()
        if self.algorithm.moves_reference:
            for name in ("lora_rank", "shard"):
                if getattr(self, name):
                    raise ValueError(
                        f"reference={self.algorithm.reference!r} and {name} do not go together"
                    )
        self._check_prompts()
        self._check_seats()
        self._check_opponent()
        self._check_ray()
        self._check_stages()
        if self.algorithm.surveys and (self.backend != "transformers" or self.servers):
            engine = "servers" if self.servers else repr(self.backend)
            raise ValueError(f"surveys of beliefs need backend='transformers', got {engine}")
        self._check_imitation()
        check_text_wrappers("GRPOConfig.eval_wrappers", self.eval_wrappers, self.env)
        if self.eval_opponent != "random" and game_of(self.env) is None:
            raise ValueError(
                f"eval_opponent is for our games, in which the model plays all seats: {self.env} "
                'takes its arguments by env_kwargs, say {"opponent": "random"} if it is a game'
            )

    def _check_imitation(self) -> None:
        """Refuse imitation where other weights than the run's own count at its start."""
        others = {
            "ray": self.ray, "lora_rank": self.lora_rank, "shard": self.shard,
            "servers": self.servers, "backend='vllm'": self.backend == "vllm",
            "a reference model": self.algorithm.needs_reference,
        }  # fmt: skip
        for name, other in others.items():
            if self.imitation and other:
                raise ValueError(f"imitation and {name} do not go together")

    def _check_decoding(self) -> None:
        """Refuse compiled and captured decoding where another engine or other weights decode."""
        others = {
            "staleness": self.staleness, "ray": self.ray, "lora_rank": self.lora_rank,
            "shard": self.shard, "servers": self.servers, "backend='vllm'": self.backend == "vllm",
        }  # fmt: skip
        mine = {"compile": self.compile != "none", "cuda_graph": self.cuda_graph}
        for name, other in product(mine, others):
            if mine[name] and others[other]:
                raise ValueError(f"{name} and {other} do not go together")
        if self.cuda_graph and self.device == "cpu":
            raise ValueError("cuda_graph needs device='cuda': a CPU has no such graphs")

    def _check_values(self) -> None:
        """Refuse settings of values without values, and refills without groups."""
        algorithm = self.algorithm
        for name in ("gamma", "gae_lambda", "value_coef", "value_clip"):
            known = algorithm.estimator.critic
            if name in ("gamma", "gae_lambda"):  # an object has settings of its own
                known = isinstance(algorithm.advantage, str) and hasattr(algorithm.estimator, name)
            if getattr(self, name) is not None and not known:
                raise ValueError(f"{name} has no meaning for advantage={algorithm.advantage!r}")
        if algorithm.rolling.drops_equal_groups and self.group_size < 2:
            raise ValueError("refills replace groups of equal rewards: group_size must be above 1")
        if self.refills and not isinstance(algorithm.rolling, Refill):
            raise ValueError(f"refills has no meaning for rollouts={self.rollouts!r}")

    def _check_prompts(self) -> None:
        """Refuse prompts that learner or seats do not go with, and wrong evaluated tasks."""
        source = self.source
        if source.uses_advantages and self.algorithm.sequences is not None:
            raise ValueError(
                f"prompts={source.title()!r} learns from advantages, which sequence_loss has not"
            )
        if self.lora_per_seat and list(source.task_specs(self.task)) != [""]:
            raise ValueError("lora_per_seat is for one task: take other prompts")
        for name, task in self.eval_tasks.items():
            check_task(f"eval_tasks {name!r}", task)
        if self.eval_tasks and self.eval_wrappers:
            raise ValueError("eval_wrappers belong to the tasks in eval_tasks: name them there")

    def _check_parts(self) -> None:
        """Refuse settings of a run beside a part that has settings of its own."""
        beside = {
            "surrogate": ("clip_low", "clip_high", "dual_clip"),
            "correction": ("correction_low", "correction_high"),
        }
        for kind, names in beside.items():
            part = getattr(self, kind)
            for name in names:
                if isinstance(part, Part) and getattr(self, name) is not None:
                    raise ValueError(
                        f"{name} has no meaning beside {kind}={part!r:.80}, which has its own"
                    )

    def _check_seats(self) -> None:
        """Refuse adapters of seats where there are no seats, or only whole weights."""
        if not self.lora_per_seat:
            return
        if game_of(self.env) is None:
            raise ValueError(f"lora_per_seat is for games: {self.env} has one seat")
        if self.backend != "transformers" or self.servers:
            engine = "servers" if self.servers else repr(self.backend)
            raise ValueError(f"lora_per_seat needs backend='transformers', got {engine}")
        if self.shard:
            raise ValueError("lora_per_seat and shard do not go together")

    def _check_opponent(self) -> None:
        """Refuse opponents beside adapters of seats, and those of the run where others play."""
        if self.others is None:
            return
        if self.lora_per_seat:
            raise ValueError("opponent and lora_per_seat do not go together: one adapter learns")
        for name in ("staleness", "ray", "shard") if self.others.of_run else ():
            if getattr(self, name):
                raise ValueError(
                    f"opponent={self.others.title()!r} has weights of the run, which do not go "
                    f"together with {name}"
                )

    def _check_ray(self) -> None:
        """Refuse settings with state that workers would have to share."""
        others = {
            "staleness": self.staleness, "servers": self.servers, "shard": self.shard,
            "lora_per_seat": self.lora_per_seat, "backend='vllm'": self.backend == "vllm",
        }  # fmt: skip
        for name, given in others.items():
            if self.ray and given:
                raise ValueError(f"ray and {name} do not go together")

    def _check_stages(self) -> None:
        """Refuse settings of stages that contradict each other or the run's."""
        if self.stages is None:
            return
        others = {"staleness": self.staleness, "ray": self.ray}
        for name, given in others.items():
            if given:
                raise ValueError(f"stages and {name} do not go together")
        for name, config in self.staged.items():
            algorithm = config.algorithm
            if algorithm.estimator.critic or algorithm.sequences is not None:
                raise ValueError(f"stage {name!r}: stages have no critic and no sequence_loss")
            if algorithm.moves_reference:
                raise ValueError(f"stage {name!r}: stages have a reference that stays")

    @cached_property
    def staging(self) -> Stages | None:
        """The part that `stages` names."""
        return None if self.stages is None else STAGES.make(self.stages)

    @cached_property
    def staged(self) -> dict[str, "GRPOConfig"]:
        """The settings of each stage by its name; without stages the run's own, without a name."""
        if self.staging is None:
            return {"": self}
        changes = settings_of_stages(self.staging, self.env_kwargs)
        return {name: replace(self, stages=None, **own) for name, own in changes.items()}

    def record(self) -> dict[str, Any]:
        """Return the settings as JSON values, for a file; `GRPOConfig(**record)` inverts it."""
        parts = {name: getattr(self, name) for name in TABLES}
        own = {name: part.record() for name, part in parts.items() if isinstance(part, Part)}
        return asdict(self) | own

    @cached_property  # a step takes it more than once, and making it checks all of its parts
    def algorithm(self) -> Algorithm:
        """The preset with the parts that are set."""
        parts = {part.name: getattr(self, part.name) for part in fields(Algorithm)}
        given = {name: value for name, value in parts.items() if value is not None}
        return replace(get_preset(self.preset), **given)
