"""Wrappers: change observations, actions and rewards; adapters between views.

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
| observe what this machine renders | `AddRenderObservation`; the same everywhere: `ImageView` |
| record pictures | `RecordVideo`, `RenderCollection` |

Budgets of costs go inside repeated actions: `RepeatAction(CostBudget(env, 5.0), 4)`.

`get_state(env)` and `set_state(env, state)` of this package are exact for whole stacks, with those
wrappers in any place.
"""

from zerogym.wrappers.adversaries.action_adversary import ActionAdversary
from zerogym.wrappers.adversaries.adversary_game import AdversaryGame, AdversarySeat
from zerogym.wrappers.adversaries.observation_adversary import ObservationAdversary
from zerogym.wrappers.adversaries.push_adversary import PushAdversary
from zerogym.wrappers.contexts.changed_dynamics import ChangedDynamics
from zerogym.wrappers.contexts.context_sampler import ContextSampler
from zerogym.wrappers.contexts.context_visibility import ContextVisibility
from zerogym.wrappers.conversion.goal_view import GoalView
from zerogym.wrappers.conversion.mask_in_observation import MaskInObservation
from zerogym.wrappers.conversion.multiple_choice import MultipleChoice
from zerogym.wrappers.conversion.token_env import TokenEnv
from zerogym.wrappers.observation.delays import ActionDelay, ObservationDelay
from zerogym.wrappers.observation.image_view import ImageView
from zerogym.wrappers.observation.observation_history import ObservationHistory
from zerogym.wrappers.observation.partial_observation import (
    FlickeringObservation,
    HiddenColumns,
    MissingSensors,
    NoisyObservation,
)
from zerogym.wrappers.observation.random_projection import RandomProjection
from zerogym.wrappers.pool import AsyncEnvPool, EnvStep
from zerogym.wrappers.prompts.history import FullHistory
from zerogym.wrappers.prompts.markovian_chunks import MarkovianChunk
from zerogym.wrappers.prompts.prefixes import FlawedPrefix, PrefixHint
from zerogym.wrappers.prompts.reformulate import Reformulate
from zerogym.wrappers.prompts.two_attempts import TwoAttempts
from zerogym.wrappers.prompts.unary_feedback import UnaryFeedback
from zerogym.wrappers.rewards.call_reward import CallReward
from zerogym.wrappers.rewards.cost_budget import CostBudget
from zerogym.wrappers.rewards.gated_reward import GatedReward
from zerogym.wrappers.rewards.reply_rewards import FormatReward, LengthPenalty, RewardAblation
from zerogym.wrappers.rewards.retry_reward import RetryReward
from zerogym.wrappers.rewards.reward_function import RewardFunction
from zerogym.wrappers.rewards.reward_machine import RewardMachineWrapper
from zerogym.wrappers.snapshots import get_state, set_state
from zerogym.wrappers.starts.jump_start import JumpStart, JumpStartCurriculum
from zerogym.wrappers.starts.prefix_start import PrefixStart
from zerogym.wrappers.starts.snapshot_start import Moment, SnapshotStart
from zerogym.wrappers.tools.error_inject import ErrorInject
from zerogym.wrappers.tools.tool_budget import ToolBudget
from zerogym.wrappers.tools.with_tools import WithTools

__all__ = [
    "ActionAdversary",
    "ActionDelay",
    "AdversaryGame",
    "AdversarySeat",
    "AsyncEnvPool",
    "CallReward",
    "ChangedDynamics",
    "ContextSampler",
    "ContextVisibility",
    "CostBudget",
    "EnvStep",
    "ErrorInject",
    "FlawedPrefix",
    "FlickeringObservation",
    "FormatReward",
    "FullHistory",
    "GatedReward",
    "GoalView",
    "HiddenColumns",
    "ImageView",
    "JumpStart",
    "JumpStartCurriculum",
    "LengthPenalty",
    "MarkovianChunk",
    "MaskInObservation",
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
    "RetryReward",
    "RewardAblation",
    "RewardFunction",
    "RewardMachineWrapper",
    "SnapshotStart",
    "TokenEnv",
    "ToolBudget",
    "TwoAttempts",
    "UnaryFeedback",
    "WithTools",
    "get_state",
    "set_state",
]
