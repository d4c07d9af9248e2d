"""Wrappers: change what an agent sees, does or is paid; adapters between views.

What Gymnasium has is not written again. For the control worlds, in `gymnasium.wrappers`:

| to | use |
|---|---|
| show the last observations | `FrameStackObservation(env, 4)`; with actions `ObservationHistory` |
| make one vector of several | `FlattenObservation` |
| show observations late | `DelayObservation(env, 2)` |
| repeat each action | `RepeatAction(env, 4)` (Gymnasium 1.4), or `MaxAndSkipObservation` |
| repeat actions by chance | `StickyAction(env, 0.25)` |
| have few actions | `DiscretizeAction(env, 5)`: the middles of equal parts of the range |
| have Gymnasium's cart pole | `TransformAction(env, lambda a: [2.0 * a - 1.0], Discrete(2))` |
| scale observations or actions | `RescaleObservation`, `NormalizeObservation`, `RescaleAction` |
| show the time | `TimeAwareObservation(TimeLimit(env, 200), normalize_time=True)` |
| see what this machine renders | `AddRenderObservation`; the same everywhere: `ImageView` |
| record pictures | `RecordVideo`, `RenderCollection` |

Budgets of costs go inside repeated actions: `RepeatAction(CostBudget(env, 5.0), 4)`.

`get_state(env)` and `set_state(env, state)` of this package are exact for whole stacks, with those
wrappers in any place.
"""

from zerogym.wrappers.action_adversary import ActionAdversary
from zerogym.wrappers.adversary_game import AdversaryGame, AdversarySeat
from zerogym.wrappers.changed_dynamics import ChangedDynamics
from zerogym.wrappers.choices import MultipleChoice
from zerogym.wrappers.chunks import MarkovianChunk
from zerogym.wrappers.context_sampler import ContextSampler
from zerogym.wrappers.context_visibility import ContextVisibility
from zerogym.wrappers.cost_budget import CostBudget
from zerogym.wrappers.delays import ActionDelay, ObservationDelay
from zerogym.wrappers.follow_machine import FollowMachine
from zerogym.wrappers.history import FullHistory
from zerogym.wrappers.image_view import ImageView
from zerogym.wrappers.jump_start import JumpStart, JumpStartCurriculum
from zerogym.wrappers.observation_adversary import ObservationAdversary
from zerogym.wrappers.observation_history import ObservationHistory
from zerogym.wrappers.partial_observation import (
    FlickeringObservation,
    HiddenColumns,
    MissingSensors,
    NoisyObservation,
)
from zerogym.wrappers.pool import AsyncEnvPool, EnvStep
from zerogym.wrappers.prefix_start import PrefixStart
from zerogym.wrappers.prefixes import FlawedPrefix, PrefixHint
from zerogym.wrappers.push_adversary import PushAdversary
from zerogym.wrappers.random_projection import RandomProjection
from zerogym.wrappers.reformulate import Reformulate
from zerogym.wrappers.rewards import FormatReward, LengthPenalty, RewardAblation
from zerogym.wrappers.snapshot_start import Moment, SnapshotStart
from zerogym.wrappers.snapshots import get_state, set_state
from zerogym.wrappers.tokens import TokenEnv
from zerogym.wrappers.two_attempts import TwoAttempts
from zerogym.wrappers.unary_feedback import UnaryFeedback
from zerogym.wrappers.with_tools import WithTools

__all__ = [
    "ActionAdversary",
    "ActionDelay",
    "AdversaryGame",
    "AdversarySeat",
    "AsyncEnvPool",
    "ChangedDynamics",
    "ContextSampler",
    "ContextVisibility",
    "CostBudget",
    "EnvStep",
    "FlawedPrefix",
    "FlickeringObservation",
    "FollowMachine",
    "FormatReward",
    "FullHistory",
    "HiddenColumns",
    "ImageView",
    "JumpStart",
    "JumpStartCurriculum",
    "LengthPenalty",
    "MarkovianChunk",
    "MissingSensors",
    "Moment",
    "MultipleChoice",
    "NoisyObservation",
    "ObservationAdversary",
    "ObservationDelay",
    "ObservationHistory",
    "PrefixHint",
    "PrefixStart",
    "PushAdversary",
    "RandomProjection",
    "Reformulate",
    "RewardAblation",
    "SnapshotStart",
    "TokenEnv",
    "TwoAttempts",
    "UnaryFeedback",
    "WithTools",
    "get_state",
    "set_state",
]
