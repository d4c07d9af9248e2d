"""Algorithms of the GRPO family, and PPO, as their papers have them.

Left out: learning rates and batch sizes of the papers, which belong to their models; the format
reward of DeepSeek-R1-Zero, which is a matter of the environment.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.errors import UnknownName


@dataclass(frozen=True, kw_only=True)
class Preset(Algorithm):
    """An algorithm as a paper has it.

    Attributes:
        source: Title, year and arXiv id of the paper.
        notes: What the numbers are that it does not print, and what differs.
    """

    source: str
    notes: str = ""

    def changes(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults of `Algorithm`, as JSON values."""
        named = (
            (field.name, getattr(self, field.name), field.default) for field in fields(Algorithm)
        )
        return {name: value for name, value, default in named if value != default}


PRESETS: Mapping[str, Preset] = {
    "r1_zero": Preset(
        kl=0.001, clip_low=10.0, clip_high=10.0,
        source="DeepSeek-R1: Incentivizing Reasoning Capability in LLMs via Reinforcement Learning "
        "(2025, arXiv 2501.12948)",
        notes="GRPO with a small KL. The clip ratio is printed for the next stage only.",
    ),
    "grpo": Preset(
        source="DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models "
        "(2024, arXiv 2402.03300)",
        notes="The paper has kl=0.04; 0 needs no second model.",
    ),
    "dr_grpo": Preset(
        advantage="dr_grpo", aggregation="constant",
        source="Understanding R1-Zero-Like Training: A Critical Perspective (2025, arXiv "
        "2503.20783)",
    ),
    "rloo": Preset(
        advantage="rloo", ratio="product", kl=0.05, kl_estimator="k1", kl_in="reward",
        source="Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human "
        "Feedback in LLMs (2024, arXiv 2402.14740)",
        notes="kl and the clipping as TRL 1.16 has them.",
    ),
    "reinforce_pp": Preset(
        advantage="reinforce_pp", aggregation="token_mean",
        kl=0.01, kl_estimator="k1", kl_in="reward",
        source="REINFORCE++: Stabilizing Critic-Free Policy Optimization with Global Advantage "
        "Normalization (2025, arXiv 2501.03262)",
        notes="kl as OpenRLHF 0.11 has it.",
    ),
    "lite_ppo": Preset(
        advantage="lite_ppo", aggregation="token_mean",
        source="Tricks or Traps? A Deep Dive into RL for LLM Reasoning (2025, arXiv 2508.08221)",
    ),
    "dapo": Preset(
        aggregation="token_mean", clip_high=0.28, overlong=0.2, refills=9,
        source="DAPO: An Open-Source LLM Reinforcement Learning System at Scale (2025, arXiv "
        "2503.14476)",
        notes="4,096 of at most 20,480 tokens are its buffer; 10 rollouts at most as in its public "
        "recipe.",
    ),
    "gspo": Preset(
        ratio="sequence", clip_low=3e-4, clip_high=4e-4,
        source="Group Sequence Policy Optimization (2025, arXiv 2507.18071)",
    ),
    "cispo": Preset(
        surrogate="cispo", aggregation="token_mean",
        clip_low=1.0, clip_high=4.0, overlong=0.2, refills=9,
        source="MiniMax-M1: Scaling Test-Time Compute Efficiently with Lightning Attention (2025, "
        "arXiv 2506.13585)",
        notes="No lower bound, DAPO's sampling and length penalty. The upper bound is TRL's; the "
        "paper does not print it.",
    ),
    "topr": Preset(
        advantage="dr_grpo", surrogate="topr", ratio="product", aggregation="constant",
        source="Tapered Off-Policy REINFORCE: Stable and efficient reinforcement learning for LLMs "
        "(2025, arXiv 2503.14286)",
        notes="Sums over tokens, no divergence.",
    ),
    "ppo": Preset(
        advantage="gae", aggregation="token_mean",
        source="Proximal Policy Optimization Algorithms (2017, arXiv 1707.06347)",
        notes="gamma = lambda = 1, no divergence. The bound and the weight of the values as TRL "
        "had them.",
    ),
    "open_reasoner_zero": Preset(
        advantage="gae", gamma=1.0, gae_lambda=1.0, aggregation="sequence_mean",
        source="Open-Reasoner-Zero: An Open Source Approach to Scaling Up Reinforcement Learning "
        "on the Base Model (2025, arXiv 2503.24290)",
        notes="No divergence; clipping and the mean over each reply as the authors' code. Its "
        "values have a model of their own and more steps than the policy: here they share it, and "
        "their weight is ppo's.",
    ),
    "simple_rl_zoo": Preset(
        aggregation="token_mean", kl=1e-4, entropy=1e-3,
        source="SimpleRL-Zoo: Investigating and Taming Zero Reinforcement Learning for Open Base "
        "Models in the Wild (2025, arXiv 2503.18892)",
        notes="The numbers of the authors' scripts for models of up to 14B; above it kl is 1e-3.",
    ),
    "t1": Preset(
        advantage="rloo", aggregation="token_mean", kl=0.01, entropy=1e-3, reference="ema",
        source="T1: Advancing Language Model Reasoning through Reinforcement Learning and "
        "Inference Scaling (2025, arXiv 2501.11651)",
        notes="The moving average as the reference and the entropy bonus are the paper's; the "
        "numbers and the estimator are our choice.",
    ),
}  # fmt: skip


def get_preset(name: str) -> Preset:
    """Return the preset of a name; UnknownName suggests the nearest."""
    if name not in PRESETS:
        raise UnknownName("preset", name, list(PRESETS))
    return PRESETS[name]
