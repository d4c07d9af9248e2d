"""Wrappers: change what an agent sees, does or is paid; adapters between views."""

from zerogym.wrappers.choices import MultipleChoice
from zerogym.wrappers.chunks import MarkovianChunk
from zerogym.wrappers.follow_machine import FollowMachine
from zerogym.wrappers.history import FullHistory
from zerogym.wrappers.pool import AsyncEnvPool, EnvStep
from zerogym.wrappers.prefixes import FlawedPrefix, PrefixHint
from zerogym.wrappers.reformulate import Reformulate
from zerogym.wrappers.rewards import FormatReward, LengthPenalty, RewardAblation
from zerogym.wrappers.tokens import TokenEnv
from zerogym.wrappers.two_attempts import TwoAttempts
from zerogym.wrappers.unary_feedback import UnaryFeedback
from zerogym.wrappers.with_tools import WithTools

__all__ = [
    "AsyncEnvPool",
    "EnvStep",
    "FlawedPrefix",
    "FollowMachine",
    "FormatReward",
    "FullHistory",
    "LengthPenalty",
    "MarkovianChunk",
    "MultipleChoice",
    "PrefixHint",
    "Reformulate",
    "RewardAblation",
    "TokenEnv",
    "TwoAttempts",
    "UnaryFeedback",
    "WithTools",
]
