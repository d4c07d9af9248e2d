"""Settings of forward-backward training, and the tuned presets of the package's environments."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types, groups_of
from zerogym.agents.zero_shot.features import Features
from zerogym.agents.zero_shot.settings.actor import ActorSettings
from zerogym.agents.zero_shot.settings.computing import ComputingSettings
from zerogym.agents.zero_shot.settings.critic import CriticSettings
from zerogym.agents.zero_shot.settings.dataset import DatasetSettings
from zerogym.agents.zero_shot.settings.networks import NetworksSettings
from zerogym.agents.zero_shot.settings.prompt import PromptSettings
from zerogym.agents.zero_shot.settings.representation import RepresentationSettings
from zerogym.agents.zero_shot.settings.training import TrainingSettings
from zerogym.agents.zero_shot.settings.world import WorldSettings
from zerogym.errors import UnknownName


@describe_fields
@dataclass(frozen=True)
class FBConfig(  # the fields of the last base come first
    ComputingSettings,
    TrainingSettings,
    PromptSettings,
    ActorSettings,
    CriticSettings,
    NetworksSettings,
    RepresentationSettings,
    DatasetSettings,
    WorldSettings,
):
    """Everything that decides a training run; same config, same model (on a CPU).

    A comment that ends in "discrete" or "continuous" is for actions of that kind only.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range, or settings contradict each other.
    """

    def __post_init__(self) -> None:
        check_types(self)
        for group in groups_of(type(self)).values():
            group._check(self)
        if self.conservative == "measure" and self.features != "fb":
            raise ValueError("FBConfig.conservative: successor features have no measure")
        if self.cuda_graph and (self.features != "fb" or self.q_loss > 0):
            # Their error checks synchronise with the GPU.
            raise ValueError(
                "FBConfig.cuda_graph: successor features and the q_loss solve linear systems, "
                "which cannot be recorded"
            )
        if self.gamma == 0 and self.phi.looks_ahead:
            ahead = self.phi.title()
            raise ValueError(f"FBConfig.gamma must be above 0: {ahead} features look ahead")

    def to_json(self) -> str:
        """Return the settings as a JSON object."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain = {name: dict(values[name]) for name in ("env_kwargs", "wrappers")}
        if isinstance(self.features, Features):
            plain["features"] = self.features.record()
        return json.dumps(values | plain, indent=2)

    @classmethod
    def from_json(cls, text: str) -> "FBConfig":
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))


PRESETS: Mapping[str, FBConfig] = MappingProxyType(
    {
        config.env: config
        for config in (
            FBConfig(),
            FBConfig(env="zerogym/FourRooms-v0"),
            FBConfig(
                env="zerogym/PointMaze-v0",
                data_steps=40_000,
                hold=8,
                updates=4_000,
                batch_size=256,
                dim=64,
                anchors=100,
                exact=False,
                lr_actor=2e-3,
            ),
            FBConfig(  # without layer norm and standardised observations F diverges here
                env="zerogym/Cheetah-v0",
                data_steps=40_000,
                hold=4,
                updates=4_000,
                batch_size=256,
                dim=32,
                net="wide",
                standardise=True,
                exact=False,
                temperature=0.0,
                tau=0.02,
                lr_forward=1e-3,
                lr_backward=1e-3,
            ),
        )
    }
)


def preset(env: str, **changes: Any) -> FBConfig:
    """Return the tuned settings for an environment of `PRESETS`, with changes.

    Raises:
        UnknownName: If there are none for it; write an `FBConfig` of your own then.
    """
    if env not in PRESETS:
        raise UnknownName("forward-backward preset", env, list(PRESETS))
    return dataclasses.replace(PRESETS[env], **changes)
