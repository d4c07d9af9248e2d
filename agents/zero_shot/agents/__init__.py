"""The table of zero-shot agents, one paper each, with their settings; no torch.

`zerogym train zero_shot --agent NAME` trains any of them by the interface of `protocol.py`. One's
own agent is a part that makes a `ZeroShotAgent`, named as `"my_module:Name"`. Models are imported
when they are made, by their place, because those modules are above this one.
"""

from zerogym.agents.zero_shot.agents.goal_conditioned import (
    CRLSettings,
    GCBCSettings,
    GCIQLSettings,
    GCIVLSettings,
    GoalConditionedSettings,
    HIQLSettings,
    QRLSettings,
)
from zerogym.agents.zero_shot.agents.measures import (
    BreezeSettings,
    FBSettings,
    NeuralPSMSettings,
    PSMSettings,
    SFSettings,
)
from zerogym.agents.zero_shot.agents.planners import (
    PLDMSettings,
    PMASettings,
)
from zerogym.agents.zero_shot.agents.table import (
    AGENTS,
    Agent,
    Start,
    agent,
)
from zerogym.agents.zero_shot.agents.values import (
    CONVENTIONS,
    FRESettings,
    HILPSettings,
)

__all__ = [
    "AGENTS",
    "CONVENTIONS",
    "Agent",
    "BreezeSettings",
    "CRLSettings",
    "FBSettings",
    "FRESettings",
    "GCBCSettings",
    "GCIQLSettings",
    "GCIVLSettings",
    "GoalConditionedSettings",
    "HILPSettings",
    "HIQLSettings",
    "NeuralPSMSettings",
    "PLDMSettings",
    "PMASettings",
    "PSMSettings",
    "QRLSettings",
    "SFSettings",
    "Start",
    "agent",
]
