"""Settings of a GRPO run; importing them loads no torch."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from typing import Any, Literal, get_args

from zerogym.agents.compiling import COMPILERS
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.presets import (
    Algorithm,
    CorrectionName,
    KlPlace,
    get_preset,
)
from zerogym.agents.llm.algorithms.tables import (
    ADVANTAGES,
    AGGREGATIONS,
    DIVERGENCES,
    RATIOS,
    SEQUENCE_LOSSES,
    SURROGATES,
    TABLES,
    Advantage,
    Aggregation,
    Divergence,
    Ratio,
    SequenceLoss,
    Surrogate,
)
from zerogym.agents.llm.generation.protocol import BackendName
from zerogym.agents.llm.models.endpoints import read_server
from zerogym.agents.llm.rollout.chat_template import ChatKind
from zerogym.agents.llm.rollout.context_window import CONTEXTS, ContextKind
from zerogym.agents.llm.rollout.wrapping import check_text_wrappers
from zerogym.agents.parts import Part
from zerogym.agents.settings import check_types
from zerogym.envs.registry import game_of
from zerogym.errors import UnknownName

TrackerName = Literal["tensorboard", "trackio", "wandb"]


@describe_fields
@dataclass(frozen=True)
class GRPOConfig:
    """Settings of a run.

    The preset names an algorithm; the settings from `advantage` on change a part of it, None keeps
    the preset's part.

    Raises:
        ValueError: If a number is out of its range, settings contradict each other, or the split
            is that of the test problems.
        TypeError: If a value is of another type than its field, or `env_kwargs` holds other than
            JSON values.
        UnknownName: If the preset, or a part of an algorithm, does not exist.
    """

    # -- Task and model
    env: str = (
        "zerogym/RandomCalculation-v0"  # id of a text environment, or of a game: all its seats
    )
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    wrappers: Mapping[str, Any] = field(
        default_factory=dict
    )  # of training only: {NAME: ARGUMENTS}, innermost first; see `wrapping.py`
    eval_wrappers: Mapping[str, Any] = field(default_factory=dict)  # those of the evaluation
    model: str = "tiny"  # of `load_model`: a name, a directory, a hub id
    out: str = "runs/grpo"  # directory of checkpoints, metrics and the final model
    preset: str = (
        "grpo"  # r1_zero, grpo, dr_grpo, rloo, reinforce_pp, lite_ppo, dapo, gspo, cispo, ppo
    )
    # -- Batches
    steps: int = 500  # optimiser batches
    prompts_per_step: int = 16  # problems in a batch
    group_size: int = 8  # episodes of each problem, >= 2; of ppo >= 1
    passes: int = 1  # optimiser steps on each batch
    # -- Replies
    max_new_tokens: int = 64  # tokens of one reply
    temperature: float = 1.0  # of training rollouts, > 0
    stop: tuple[str, ...] = ()  # texts that end a reply
    chat: ChatKind = "auto"  # template, plain, or auto
    system: str | None = None  # system text
    context: ContextKind = "stop"  # where it overflows: stop, truncate, summarise, markovian
    budget: int = 0  # tokens of one episode, over all its turns; 0: any number
    # -- Optimiser
    lr: float | None = None  # learning rate; None: 1e-4 if under 10 million weights learn, or 1e-5
    value_lr: float = 1e-2  # that of the value head, where the algorithm has one
    max_grad_norm: float = 1.0  # longer gradients are scaled down
    skip_grad_norm: float = 0.0  # steps with a longer gradient are not taken; 0: all are
    micro_batch: int = 32  # episodes in one forward pass of the update
    micro_tokens: int = 0  # tokens in one, whatever the number of episodes; 0: micro_batch decides
    gradient_checkpointing: bool = False  # layers are computed twice, for less memory
    packing: bool | None = None  # episodes in one row without padding; None: if the model can
    # -- Adapters
    lora_rank: int = 0  # of adapters, which are then all that is trained; 0: the weights are
    lora_alpha: float = 32.0  # an adapter is scaled by lora_alpha / lora_rank
    lora_targets: tuple[str, ...] = ()  # names of layers with one; none: linear ones but the output
    lora_per_seat: bool = False  # each seat of a game trains an adapter of its own
    # -- Run and evaluation
    seed: int = 0  # of problems and sampling, >= 0
    eval_every: int = 0  # steps between evaluations; 0: only before and after
    eval_episodes: int = 300  # problems of the test side; games from each seat; 0: no evaluation
    eval_temperature: float = 0.0  # of evaluated replies, >= 0; 0 takes the likeliest tokens
    eval_opponent: str = "random"  # of a game's evaluation: who plays all other seats
    save_every: int = 50  # steps between checkpoints; 0: only at the end
    keep_checkpoints: int = 1  # the latest ones; games take a run's as `opponent="past:OUT"`
    keep_rollouts: bool = False  # write every trajectory to out/rollouts
    track: tuple[TrackerName, ...] = ()  # trackers of the metrics: tensorboard, trackio, wandb
    # -- Computing
    asynchronous: bool = False  # episodes at their own pace; runs then repeat up to rounding only
    staleness: int = 0  # steps by which a batch's weights are older, in a thread; 0: none
    ray: int = 0  # workers on Ray that play the episodes, each on a core; 0: this process does
    device: str = "auto"  # auto, cpu, cuda
    shard: bool = False  # weights, gradients and optimiser sharded over torchrun's processes
    dtype: str = "float32"  # of weights and arithmetic; lower precision is stepped in float32
    compile: str = "none"  # decoding by torch.compile: inductor, or aot_eager, which tests it
    cuda_graph: bool = False  # capture each decode step once and replay it; cuda
    backend: BackendName = "transformers"  # the engine of replies; vllm is faster on a GPU
    servers: tuple[str, ...] = ()  # of vLLM, the engine instead: http://HOST:PORT/v1#MODEL
    engine_memory: float = 0.3  # of vllm: its share of the GPU's memory, in (0, 1]
    # -- Parts of the algorithm, in place of the preset's
    advantage: str | Advantage | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": ADVANTAGES}
    )  # estimator of advantages
    surrogate: str | Surrogate | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": SURROGATES}
    )  # objective of a token
    ratio: str | Ratio | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": RATIOS}
    )  # of probabilities: a token's, a turn's, GSPO's sequence, RLOO's product
    aggregation: str | Aggregation | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": AGGREGATIONS}
    )  # mean over tokens and episodes
    clip_low: float | None = None  # distance of the ratio's lower bound from 1
    clip_high: float | None = None  # distance of its upper bound from 1
    dual_clip: float | None = None  # bound of the ratio where the advantage is negative; 0: none
    kl: float | None = None  # weight of the distance to the start model; 0 needs no copy of it
    kl_estimator: str | Divergence | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": DIVERGENCES}
    )  # estimator of the distance
    kl_in: KlPlace | None = None  # its place: loss, reward
    kl_weighted: bool | None = None  # whether the ratio multiplies it in the loss
    entropy: float | None = None  # weight of the entropy bonus
    correction: CorrectionName | None = (
        None  # of the engine: none, {token,sequence}_{truncate,mask}
    )
    correction_low: float | None = None  # least weight of a correction, in [0, 1]
    correction_high: float | None = None  # largest, at least 1
    mask_truncated: bool | None = None  # whether episodes with a cut reply have no gradient
    overlong: float | None = None  # share of max_new_tokens at the end with a penalty, in [0, 1)
    refills: int | None = None  # rounds that replace groups of equal rewards; 0: they stay
    gamma: float | None = None  # of gae: discount per token, in [0, 1]
    gae_lambda: float | None = None  # of gae: bias-variance trade-off, in [0, 1]; 1: no bias
    value_coef: float | None = None  # of gae: weight of the values' loss, above 0
    value_clip: float | None = None  # of gae: bound of a value's change; 0: none

    sequence_loss: str | SequenceLoss | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": SEQUENCE_LOSSES}
    )  # loss of whole groups, in place of advantage and surrogate

    def __post_init__(self) -> None:
        check_types(self)
        for name, table in TABLES.items():
            if isinstance(getattr(self, name), Mapping):  # a record of a part
                object.__setattr__(self, name, table.make(getattr(self, name)))
        smallest = self.algorithm.minimum_group
        at_least = {
            "steps": 0, "prompts_per_step": 1, "group_size": smallest, "passes": 1,
            "max_new_tokens": 1, "micro_batch": 1, "micro_tokens": 0, "lora_rank": 0, "seed": 0,
            "eval_every": 0, "eval_episodes": 0, "save_every": 0, "keep_checkpoints": 1,
            "skip_grad_norm": 0, "budget": 0, "staleness": 0, "ray": 0, "eval_temperature": 0,
        }  # fmt: skip
        for name, low in at_least.items():
            if not low <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be at least {low}, got {getattr(self, name)!r}")
        if self.context not in CONTEXTS:
            raise UnknownName("context", self.context, list(CONTEXTS))
        if self.backend not in get_args(BackendName):
            raise UnknownName("backend", self.backend, list(get_args(BackendName)))
        for name in self.track:
            if name not in get_args(TrackerName):
                raise UnknownName("tracker", name, list(get_args(TrackerName)))
        if self.compile not in COMPILERS:
            raise UnknownName("compile", self.compile, list(COMPILERS))
        self._check_decoding()
        if self.servers:
            self._check_servers()
        if self.staleness and (self.backend != "transformers" or self.servers):
            engine = "servers" if self.servers else repr(self.backend)
            raise ValueError(f"staleness needs backend='transformers', got {engine}")
        if self.staleness and self.algorithm.correction == "none":
            raise ValueError("staleness needs weights of replies: set correction, say 'token_mask'")
        if not 0 < self.engine_memory <= 1:
            raise ValueError(f"engine_memory must be in (0, 1], got {self.engine_memory!r}")
        for name in ("temperature", "value_lr", "lora_alpha", "max_grad_norm"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)!r}")
        if self.lr is not None and not 0 < self.lr < math.inf:
            raise ValueError(f"lr must be above 0, got {self.lr!r}")
        self._check_values()
        self._check_seats()
        self._check_ray()
        json.dumps(dict(self.env_kwargs))  # raises the TypeError before the run is saved
        for name in ("wrappers", "eval_wrappers"):
            check_text_wrappers(f"GRPOConfig.{name}", getattr(self, name), self.env)
        if self.eval_opponent != "random" and game_of(self.env) is None:
            raise ValueError(f"eval_opponent is for games: {self.env} has env_kwargs instead")
        if self.env_kwargs.get("split") == "test":
            raise ValueError("training on split='test' would spoil the evaluation")

    def _check_servers(self) -> None:
        """Refuse settings that servers cannot follow."""
        for name in self.servers:
            read_server(name)
        if self.backend != "transformers":
            raise ValueError(f"servers generate: backend={self.backend!r} would, too")
        if self.temperature != 1:
            raise ValueError(
                "servers return log-probabilities at temperature 1, at which the replies must be "
                f"sampled for training; got temperature={self.temperature!r}"
            )

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
            critic = algorithm.estimator.critic
            if name in ("gamma", "gae_lambda"):
                critic = algorithm.advantage == "gae"
            if getattr(self, name) is not None and not critic:
                raise ValueError(f"{name} has no meaning for advantage={algorithm.advantage!r}")
        if algorithm.refills and self.group_size < 2:
            raise ValueError("refills replace groups of equal rewards: group_size must be above 1")

    def _check_seats(self) -> None:
        """Refuse adapters of seats where there are no adapters, no seats, or only whole weights."""
        if not self.lora_per_seat:
            return
        if not self.lora_rank:
            raise ValueError("lora_per_seat needs adapters: set lora_rank, say 8")
        if game_of(self.env) is None:
            raise ValueError(f"lora_per_seat is for games: {self.env} has one seat")
        if self.backend != "transformers" or self.servers:
            engine = "servers" if self.servers else repr(self.backend)
            raise ValueError(f"lora_per_seat needs backend='transformers', got {engine}")
        if self.shard:
            raise ValueError("lora_per_seat and shard do not go together")

    def _check_ray(self) -> None:
        """Refuse settings with state that workers would have to share."""
        others = {
            "staleness": self.staleness, "servers": self.servers, "shard": self.shard,
            "lora_per_seat": self.lora_per_seat, "backend='vllm'": self.backend == "vllm",
        }  # fmt: skip
        for name, given in others.items():
            if self.ray and given:
                raise ValueError(f"ray and {name} do not go together")

    def record(self) -> dict[str, Any]:
        """Return the settings as JSON values, for a file; `GRPOConfig(**record)` inverts it."""
        parts = {name: getattr(self, name) for name in TABLES}
        own = {name: part.record() for name, part in parts.items() if isinstance(part, Part)}
        return asdict(self) | own

    @property
    def algorithm(self) -> Algorithm:
        """The preset with the parts that are set."""
        parts = {part.name: getattr(self, part.name) for part in fields(Algorithm)}
        given = {name: value for name, value in parts.items() if value is not None}
        return replace(get_preset(self.preset), **given)
