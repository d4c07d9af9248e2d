"""Settings refuse values of another type at once, and name field and value."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zerogym.agents.datasets.subset import SubsetConfig
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.zero_shot.adaptation.latent_search import SearchConfig
from zerogym.agents.zero_shot.adaptation.residual import ReLAConfig
from zerogym.agents.zero_shot.config import FBConfig


@pytest.mark.parametrize(
    ("make", "wrong", "words"),
    [
        (FBConfig, {"dim": 2.5}, r"FBConfig\.dim must be int, got 2\.5"),
        (FBConfig, {"dim": "8"}, r"FBConfig\.dim must be int, got '8'"),
        (FBConfig, {"dim": True}, r"FBConfig\.dim must be int, got True"),
        (FBConfig, {"dim": np.int64(8)}, r"FBConfig\.dim must be int, got .*8"),
        (FBConfig, {"gamma": None}, r"FBConfig\.gamma must be float, got None"),
        (FBConfig, {"gamma": False}, r"FBConfig\.gamma must be float, got False"),
        (FBConfig, {"exact": 1}, r"FBConfig\.exact must be bool, got 1"),
        (FBConfig, {"env": None}, r"FBConfig\.env must be str, got None"),
        (FBConfig, {"net": ["wide"]}, r"FBConfig\.net must be str"),
        (FBConfig, {"data": 3}, r"FBConfig\.data must be str \| None, got 3"),
        (FBConfig, {"env_kwargs": [1]}, r"FBConfig\.env_kwargs must be Mapping, got \[1\]"),
        (FBConfig, {"env_kwargs": {"map": {1}}}, r"FBConfig\.env_kwargs must be JSON values"),
        (CollectConfig, {"steps": 2.5}, r"CollectConfig\.steps must be int, got 2\.5"),
        (CollectConfig, {"variants": None}, r"CollectConfig\.variants must be Sequence"),
        (CollectConfig, {"mix": ("random", 1)}, r"CollectConfig\.mix must be tuple"),
        (CollectConfig, {"tasks": "goal_left"}, r"CollectConfig\.tasks must be tuple"),
        (CollectConfig, {"teacher": None}, r"CollectConfig\.teacher must be .*got None"),
        (SearchConfig, {"tried": None}, r"SearchConfig\.tried must be int, got None"),
        (ReLAConfig, {"every": 0.5}, r"ReLAConfig\.every must be int, got 0\.5"),
        (SubsetConfig, {"share": "half"}, r"SubsetConfig\.share must be float, got 'half'"),
        (SubsetConfig, {"variants": (0.5,)}, r"SubsetConfig\.variants must be tuple"),
        (GRPOConfig, {"steps": "9"}, r"GRPOConfig\.steps must be int, got '9'"),
        (GRPOConfig, {"group_size": 8.0}, r"GRPOConfig\.group_size must be int, got 8\.0"),
        (GRPOConfig, {"lr": "1e-5"}, r"GRPOConfig\.lr must be float \| None, got '1e-5'"),
        (GRPOConfig, {"stop": "</answer>"}, r"GRPOConfig\.stop must be tuple"),
        (GRPOConfig, {"kl": True}, r"GRPOConfig\.kl must be float \| None, got True"),
        (GRPOConfig, {"env_kwargs": [1]}, r"GRPOConfig\.env_kwargs must be Mapping, got \[1\]"),
        (GRPOConfig, {"preset": None}, r"GRPOConfig\.preset must be str, got None"),
        (Sampling, {"stop": "</answer>"}, r"Sampling\.stop must be tuple"),
        (Sampling, {"max_new_tokens": 2.5}, r"Sampling\.max_new_tokens must be int, got 2\.5"),
        (Sampling, {"seeds": 3}, r"Sampling\.seeds must be tuple.*got 3"),
    ],
)
def test_a_value_of_another_type_is_named(
    make: Callable[..., Any], wrong: dict[str, Any], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        make(**wrong)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("make", [FBConfig, CollectConfig])
def test_numbers_are_finite(make: Callable[..., Any], value: float) -> None:
    with pytest.raises(ValueError, match=rf"\.noise must be a finite number, got {value}"):
        make(noise=value)


def test_what_json_gives_will_do() -> None:
    """Whole numbers for floats, lists for tuples; what is written is what is read."""
    assert FBConfig(temperature=0, orthonormality=1).temperature == 0
    assert CollectConfig(mix=["random"]).mix == ("random",)  # type: ignore[arg-type]
    config = FBConfig(env_kwargs={"size": (3, 3)})
    assert FBConfig.from_json(config.to_json()) == config
