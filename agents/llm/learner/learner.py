"""The learner: from groups of trajectories to an optimiser step.

The model stays in evaluation mode (no dropout), so that the first ratio of a batch is 1.
"""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from zerogym.agents.llm.algorithms.advantage_tables import weigh
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Sample
from zerogym.agents.llm.algorithms.episode_tables import shaped, with_gradient
from zerogym.agents.llm.algorithms.loss_tables import Totals
from zerogym.agents.llm.algorithms.losses.importance_corrections import correct
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss
from zerogym.agents.llm.distributed import fsdp, parallel
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.auxiliary_rows import AuxiliaryRows
from zerogym.agents.llm.learner.micro_batches import MicroBatch, own_chunks
from zerogym.agents.llm.learner.moving_reference import MovingReference
from zerogym.agents.llm.learner.optimizer import Optimizer
from zerogym.agents.llm.learner.out_of_memory import explained_out_of_memory
from zerogym.agents.llm.learner.packing import packed_attention, packs
from zerogym.agents.llm.learner.rows import Rows, token_logprobs, token_logprobs_and_entropy
from zerogym.agents.llm.models.gradient_checkpointing import checkpointed, layers_of
from zerogym.agents.llm.models.lora import has_adapter, without_adapter
from zerogym.agents.llm.models.onednn_linear import fast_products
from zerogym.agents.llm.rollout.environments import most_turns
from zerogym.agents.parts import Part, errors_of
from zerogym.agents.trajectory import Flat, Trajectory
from zerogym.errors import EngineFailed


class Learner:
    """A model with its optimiser.

    Args:
        model: A causal language model, trained in place; with `config.shard` its sharded copy is,
            which is then `self.model`.
        config: The settings of the run.
        reference: A frozen model; needed where the algorithm's `kl` is above 0, unless the model
            has an adapter: then it is the model without it.
    """

    def __init__(self, model: Any, config: GRPOConfig, reference: Any = None) -> None:
        self.algorithm = config.algorithm
        if self.algorithm.needs_reference and reference is None and not has_adapter(model):
            part = self.algorithm.sequences or self.algorithm.estimator
            cause = "kl > 0" if self.algorithm.kl > 0 else part.title()
            raise ValueError(f"{cause} needs a reference model")
        if config.shard:
            model, reference = fsdp.shard_model(model), reference and fsdp.shard_model(reference)
        self.model, self.config, self.reference = model.eval(), config, reference
        self.packed = config.packing is not False and packs(model, warn=bool(config.packing))
        self.layers = layers_of(model) if config.gradient_checkpointing else []
        self.optimizer = Optimizer([p for p in model.parameters() if p.requires_grad], config)
        self.parameters = self.optimizer.parameters
        self.moving: MovingReference | None = None
        if self.algorithm.moves_reference:
            self.moving = MovingReference(reference, self.algorithm.anchor)
        self._part_state: dict[str, dict[str, Any]] = {}  # by table
        self._next_part_state: dict[str, dict[str, Any]] = {}
        self._beside: Sequence[Sequence[Trajectory]] = ()  # of the update under way
        self.strengths: list[float] | None = None  # mean |advantage| of the last update's groups

    def update(
        self,
        groups: Sequence[Sequence[Trajectory]],
        beside: Sequence[Sequence[Trajectory]] = (),
    ) -> dict[str, float]:
        """Take the configured number of optimiser steps on groups; metrics of the last one.

        An episode without a gradient (its group's rewards are all equal, say) is left out of the
        forward pass, but counts in the divisors; if nothing is left, the weights stay exactly as
        they are.

        Args:
            groups: Episodes of the same problem (and seat) are a group.
            beside: Groups of other seats of the same games, which another learner trains: parts
                read them, and they have no gradient here.

        Raises:
            TrainingDiverged: If the loss or its gradient is not finite; the weights are those
                before the first pass.
            OutOfMemory: If there is not enough; the same holds.
            EngineFailed: If the engine recorded no log-probability for a sampled token.
            PartFailed: If a part of the algorithm raises, or returns unusable numbers.
        """
        sizes = f"now {self.config.micro_batch} and {self.config.micro_tokens}"
        explained = explained_out_of_memory(f"lower micro_batch or micro_tokens, {sizes}")
        with explained, self._computing(), checkpointed(self.layers):
            self._next_part_state, self._beside = {}, beside
            metrics = self._update(groups)
        self._part_state = {kind: kept for kind, kept in self._next_part_state.items() if kept}
        if self.moving:
            self.moving.follow(self.model)
        return metrics

    def _update(self, groups: Sequence[Sequence[Trajectory]]) -> dict[str, float]:
        flats, advantages, totals, metrics = self._weigh(groups)
        metrics["actor/rows"] = float(len(flats))
        auxiliary = self._auxiliary(groups)
        if not flats and auxiliary is None:
            return metrics
        batches = [
            replace(
                self._batch([flats[i] for i in chunk], [advantages[i] for i in chunk]),
                counts=counts,
            )
            for chunk, counts in own_chunks(flats, self.config, self.packed)
        ]
        several = self.config.passes > 1  # one pass alone changes nothing before it succeeds
        with self.optimizer.transaction() if several else nullcontext():
            for _ in range(self.config.passes):
                metrics |= self._step(batches, totals, auxiliary)
        return metrics

    def _auxiliary(self, groups: Sequence[Sequence[Trajectory]]) -> AuxiliaryRows | None:
        """Return the rows of the auxiliary term; None if there are none."""
        return AuxiliaryRows.make(self.algorithm.auxiliary_term, groups, self.config, self.packed)

    @contextmanager
    def _computing(self) -> Iterator[None]:
        """Use fast linear layers and, where episodes are packed, their attention in the block."""
        with ExitStack() as models:
            for model in (self.model, self.reference):
                if model is None:
                    continue
                models.enter_context(fast_products(model))
                if self.packed:
                    models.enter_context(packed_attention(model))
            yield

    def _weigh(
        self, groups: Sequence[Sequence[Trajectory]]
    ) -> tuple[list[Flat], list[Floats], Totals, dict[str, float]]:
        """Return the episodes that have a gradient, their advantages, and the batch's size."""
        whole = [trajectory for group in groups for trajectory in group]
        check_known(whole)
        flats = [trajectory.flatten() for trajectory in whole]
        penalties, metrics = self._penalties(flats)
        batch = self._view(groups, penalties)
        advantages, more = self._advantages(batch, flats)
        self._keep("advantage", self.algorithm.estimator, batch)
        if self.config.source.uses_advantages:
            self.strengths = [
                sum(float(np.abs(own).mean()) if own.size else 0.0 for own in group) / len(group)
                for group in batch.grouped(advantages)
            ]
        trained = with_gradient(self.algorithm.filters, groups)
        counted = [i for i, has_gradient in enumerate(trained) if has_gradient]
        always = self.algorithm.pulls_always
        kept = [i for i in counted if any(flats[i].mask) and (always or advantages[i].any())]
        tokens = sum(sum(flats[i].mask) for i in counted)
        totals = Totals(len(flats), max(1, tokens), token_budget(self.config))
        return [flats[i] for i in kept], [advantages[i] for i in kept], totals, metrics | more

    def _view(self, groups: Sequence[Sequence[Trajectory]], penalties: Sequence[Floats]) -> Batch:
        """Return what the advantage sees of the groups, without signals."""
        rest = iter(penalties)
        samples = [[Sample(item, next(rest)) for item in group] for group in groups]
        beside = [
            [Sample(item, np.zeros(sum(item.flatten().mask))) for item in group]
            for group in self._beside
        ]
        states = copy.deepcopy(self._part_state)
        batch = Batch(samples, states.get("shaping", {}), beside)
        for part in self.algorithm.shapings:
            batch = batch.with_shaping(shaped(part, batch, self.config.max_new_tokens))
            self._keep("shaping", part, batch)
        return replace(batch, state=states.get("advantage", {}))

    def _keep(self, table: str, part: Part, batch: Batch) -> None:
        """Keep what a part of a table has left in the state for the next update, as JSON values."""
        with errors_of(part):
            self._next_part_state[table] = json.loads(json.dumps(batch.state))

    def _advantages(
        self, batch: Batch, flats: Sequence[Flat]
    ) -> tuple[list[Floats], dict[str, float]]:
        """Return the advantages (T,) of each episode's own tokens, and metrics."""
        part = self.algorithm.estimator
        signals = {name: self._scored(flats, self._signal(name)) for name in part.signals}
        return weigh(part, batch.with_signals(signals)), {}

    def _signal(self, name: str) -> Callable[[Rows], torch.Tensor]:
        """Return what computes a signal (B, K) that an advantage declares."""
        if name == "reference":
            return self._reference
        temperature, packed = self.config.temperature, self.packed
        return lambda rows: token_logprobs_and_entropy(self.model, rows, temperature, packed)[1]

    def _penalties(self, flats: Sequence[Flat]) -> tuple[list[Floats], dict[str, float]]:
        """Return the penalty (T,) of each episode's tokens for the distance to the reference."""
        weight = self.algorithm.kl_in_reward
        if not weight:
            return [np.zeros(sum(flat.mask)) for flat in flats], {}
        estimate = self.algorithm.divergence
        distances = self._scored(flats, lambda rows: estimate(rows.old, self._reference(rows)))
        penalties = [weight * distance for distance in distances]
        costs = np.concatenate(penalties) if penalties else np.zeros(0)
        return penalties, {"actor/kl": float(costs.mean()) / weight if costs.size else 0.0}

    def _scored(self, flats: Sequence[Flat], score: Callable[[Rows], torch.Tensor]) -> list[Floats]:
        """Return a score (B, K) as numbers (T,) of each episode's own tokens, without gradient."""
        numbers = [np.zeros(sum(flat.mask)) for flat in flats]
        scored = [i for i, flat in enumerate(flats) if any(flat.mask)]
        for chunk, counts in own_chunks([flats[i] for i in scored], self.config, self.packed):
            own = [scored[place] for place in chunk]
            rows = Rows.make([flats[i] for i in own], [numbers[i] for i in own], self.model.device)
            with torch.no_grad():
                scores = score(rows).double().cpu()  # (B, K)
            for index, values, mask in zip(own, scores, rows.mask.cpu() == 1, strict=True):
                if counts:
                    numbers[index] = values[mask].numpy()
        parallel.all_reduce_([torch.from_numpy(own) for own in numbers])
        return numbers

    def _batch(self, flats: Sequence[Flat], advantages: Sequence[Floats]) -> MicroBatch:
        """Make a micro-batch; with a correction `old` is computed by the trainer itself."""
        rows, algorithm = Rows.make(flats, advantages, self.model.device), self.algorithm
        if not algorithm.corrector.corrects:
            return MicroBatch(rows, None, {})
        with torch.no_grad():
            old = self._logprobs(self.model, rows)  # (B, K)
        weights, metrics = correct(algorithm.corrector, old, rows.old, rows.mask)
        return MicroBatch(replace(rows, old=old), weights, metrics)

    def _step(
        self,
        batches: Sequence[MicroBatch],
        totals: Totals,
        auxiliary: AuxiliaryRows | None = None,
    ) -> dict[str, float]:
        self.optimizer.zero_grad()
        sums: Counter[str] = Counter()
        total = 0.0
        tokens = sum(float(batch.rows.mask.sum()) for batch in batches if batch.counts)
        tokens = sum(parallel.all_gather(tokens))
        for batch in batches:
            loss, metrics = self.loss(batch, totals)
            (loss if batch.counts else 0 * loss).backward()
            if not batch.counts:
                continue
            total += float(loss.detach())
            share = float(batch.rows.mask.sum()) / tokens
            sums.update({name: value * share for name, value in (metrics | batch.metrics).items()})
        if auxiliary is not None:
            added = auxiliary.backward(self.model)
            total += added
            sums.update({f"auxiliary/{auxiliary.part.title()}": added / auxiliary.part.weight})
        return {**self.optimizer.step(total), **parallel.all_reduce(sums)}

    def loss(self, batch: MicroBatch, totals: Totals) -> tuple[torch.Tensor, dict[str, float]]:
        """Return the loss of one micro-batch as a part of the whole batch, and its metrics."""
        rows = batch.rows
        reference = entropy = None
        if self.algorithm.kl_in_loss > 0:
            with torch.no_grad():
                reference = self._reference(rows)  # (B, K)
        if self.algorithm.entropy > 0:
            logprobs, entropy = token_logprobs_and_entropy(
                self.model, rows, self.config.temperature, self.packed
            )  # (B, K), (B, K)
        else:
            logprobs = self._logprobs(self.model, rows)  # (B, K)
        return policy_loss(
            logprobs, rows.old, rows.advantages, rows.mask, self.algorithm, totals,
            turn=rows.turn, reference=reference, weights=batch.weights, entropy=entropy,
        )  # fmt: skip

    def _reference(self, rows: Rows) -> torch.Tensor:
        if self.reference is not None:
            return self._logprobs(self.reference, rows)  # (B, K)
        with without_adapter(self.model):
            return self._logprobs(self.model, rows)  # (B, K)

    def _logprobs(self, model: Any, rows: Rows) -> torch.Tensor:
        return token_logprobs(model, rows, self.config.temperature, self.packed)  # (B, K)

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state of the optimiser, and of a reference that follows, as named tensors."""
        return self.optimizer.state() | (self.moving.state() if self.moving else {})

    def set_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Load what `state` returned."""
        self.optimizer.set_state(self.moving.take_state(tensors) if self.moving else tensors)

    def change_settings(self, config: GRPOConfig) -> None:
        """Go on with other settings of the algorithm and of its updates; the optimiser stays."""
        self.config, self.algorithm = config, config.algorithm

    def part_state(self) -> dict[str, Any]:
        """Return what parts keep from update to update, by table, as JSON values."""
        return copy.deepcopy(self._part_state)

    def set_part_state(self, values: dict[str, Any]) -> None:
        """Load what `part_state` returned."""
        older = not {"advantage", "shaping"}.issuperset(values)  # had the advantage's alone
        self._part_state = copy.deepcopy({"advantage": values} if older else values)


def token_budget(config: GRPOConfig) -> int:
    """Return the most own tokens that an episode may have, as far as the settings say.

    The turns that the environment's arguments name (of several tasks the most) times the tokens of
    a reply, at most `budget`; where they name none, `budget`, or a single reply. "Understanding
    R1-Zero-Like Training" (2025, arXiv 2503.20783) divides by such a constant
    (`aggregations.constant`).
    """
    tasks = config.source.task_specs(config.task).values()
    found = [most_turns(task.env, task.kwargs, task.wrappers) for task in tasks]
    known = [turns for turns in found if turns is not None]
    if len(known) < len(found):
        return config.budget or config.max_new_tokens
    turns = max(known)
    whole = turns * config.max_new_tokens
    return min(whole, config.budget) if config.budget and turns > 1 else whole


def check_known(trajectories: Sequence[Trajectory]) -> None:
    """Raise unless the engine recorded a log-probability for every token that is trained on."""
    for item in trajectories:
        if not all(np.isfinite(turn.logprobs).all() for turn in item.turns[item.shared :]):
            raise EngineFailed(
                f"episode {item.episode} of {item.env} (seed {item.seed}): its engine gave no "
                "log-probabilities, without which nothing can be trained on it"
            )
