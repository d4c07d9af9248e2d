"""The settings of a run in each of its stages."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from zerogym.agents.llm.algorithms.stage_table import Stages
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.config.algorithm import AlgorithmSettings
from zerogym.agents.llm.config.episodes import EpisodesSettings
from zerogym.agents.llm.config.objective import ObjectiveSettings
from zerogym.agents.llm.config.task import TaskSettings
from zerogym.agents.parts import errors_of, recorded_part
from zerogym.errors import UnknownArgument

_GROUPS = (TaskSettings, EpisodesSettings, AlgorithmSettings, ObjectiveSettings)
_MAY_CHANGE = {each.name for group in _GROUPS for each in fields(group)} - {"stages"}
MAY_CHANGE = tuple(sorted(_MAY_CHANGE | {"kl", "temperature", "max_new_tokens"}))


def settings_of_stages(part: Stages, env_kwargs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what each stage changes of the settings of a run, by its name.

    Args:
        part: The stages.
        env_kwargs: Arguments of the run's environment, to which those of a stage are added.

    Raises:
        UnknownArgument: If a stage changes what no stage can change.
        ImportRefused: If a stage names a part of a module that is not imported.
        ValueError: If there is no stage.
    """
    with errors_of(part):
        plan = {str(name): dict(settings) for name, settings in part.plan().items()}
    if not plan:
        raise ValueError(f"stages={part.title()!r} has no stage")
    for name, settings in plan.items():
        for setting, value in settings.items():
            if setting not in MAY_CHANGE:
                raise UnknownArgument.of(f"stage {name!r}", setting, list(MAY_CHANGE))
            if setting in TABLES:
                settings[setting] = recorded_part(value, Path(f"stage {name!r}"))
        if "env_kwargs" in settings:
            settings["env_kwargs"] = dict(env_kwargs) | dict(settings["env_kwargs"])
    return plan
