"""The settings that may change when a run resumes from its checkpoint."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.parts import recorded_part
from zerogym.envs.recorded import without_keys

_MAY_CHANGE = (
    "out", "steps", "eval_every", "eval_episodes", "eval_samples",
    "save_every", "keep_checkpoints", "keep_rollouts", "track",
    "micro_batch", "micro_tokens", "packing", "shard",  # same up to rounding
    "compile", "cuda_graph",  # same up to rounding
    "gradient_checkpointing",  # the same arithmetic, twice
    "backend", "servers", "engine_memory", "ray",  # another engine samples other replies
)  # fmt: skip


def check_same_settings(config: GRPOConfig, record: Mapping[str, Any], out: Path) -> None:
    """Refuse to resume with settings that would change the run; keys of servers may differ.

    Args:
        config: The settings now.
        record: Those of the checkpoint, as JSON values.
        out: The directory of the run.

    Raises:
        ValueError: If settings that must not change differ; it names all of them.
    """
    # A setting that came after the run was made has been at its default all along.
    kept = _comparable(json.loads(json.dumps(GRPOConfig().record())) | dict(record), out)
    mine = _comparable(json.loads(json.dumps(config.record())), out)
    names = [item.name for item in fields(config) if item.name not in _MAY_CHANGE]
    changed = [name for name in names if kept[name] != mine[name]]
    if changed:
        raise ValueError(f"the run in {out} had other settings: {', '.join(changed)}")


def versions_of(config: GRPOConfig) -> dict[str, dict[str, Any]]:
    """Return name and version of the part that a run has of each table, those of its preset too."""
    found = {}
    for kind, table in TABLES.items():
        value = getattr(config.algorithm, kind, getattr(config, kind))
        if value is not None:
            part = table.make(value)
            found[kind] = {"part": part.title(), "version": part.version}
    return found


def check_same_versions(config: GRPOConfig, saved: Mapping[str, Any], out: Path) -> None:
    """Refuse to resume with a part whose formula is of another version than the run's.

    Args:
        config: The settings now.
        saved: Those of `versions_of` in the checkpoint; older checkpoints have none.
        out: The directory of the run.

    Raises:
        ValueError: If a version differs.
    """
    for kind, now in versions_of(config).items():
        before = saved.get(kind, now)
        if before["part"] == now["part"] and before["version"] != now["version"]:
            raise ValueError(
                f"the run in {out} used version {before['version']} of {kind} {now['part']!r}, "
                f"which has version {now['version']} here: its results differ"
            )


def _comparable(values: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Return settings without keys of servers, and parts with all of theirs."""
    same: dict[str, Any] = without_keys(values)
    for name, table in TABLES.items():
        if same[name] is not None:
            same[name] = table.record(recorded_part(same[name], out))
    return same
