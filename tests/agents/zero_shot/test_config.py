"""Settings of forward-backward training: their checks, and their JSON."""

from typing import Any

import pytest

from zerogym.agents.zero_shot.config import FBConfig


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"gamma": 1.0}, "gamma"),
        ({"dim": 0}, "dim must be at least 1, got 0"),
        ({"seeds": 0}, "seeds must be at least 1, got 0"),
        ({"batch_size": 1}, "batch_size must be at least 2, got 1"),
        ({"tau": 2.0}, "tau"),
        ({"lr_actor": float("nan")}, "lr_actor"),
        ({"features": "contrastive", "gamma": 0}, "gamma must be above 0"),
        ({"features": "svd", "conservative": "measure"}, "conservative"),
        ({"device": "gpu"}, "device 'gpu'"),
        ({"precision": "fp16"}, "precision 'fp16'"),
        ({"compile": "jit"}, "compile 'jit'"),
        ({"cuda_graph": True}, "cuda_graph needs device='cuda'"),
        ({"cuda_graph": True, "device": "cuda", "features": "icm"}, "solve linear systems"),
        ({"cuda_graph": True, "device": "cuda", "q_loss": 0.1}, "solve linear systems"),
        ({"flow_bc": -1.0}, "flow_bc"),
        ({"flow_bc": 1.0, "bc": 1.0, "temperature": 0}, "flow_bc"),
        ({"flow_bc": 1.0}, "flow_bc .* needs temperature 0"),
        ({"bc": 1.0}, r"bc .* needs temperature 0.*got 10\.0"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=rf"FBConfig\..*{words}"):
        FBConfig(**wrong)


def test_settings_survive_json() -> None:
    config = FBConfig(env_kwargs={"size": 5}, updates=7, wrappers={"FlattenObservation": {}})
    assert FBConfig.from_json(config.to_json()) == config
