"""The lines of a run's metrics."""

import json
import math
from pathlib import Path

import pytest

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.training.run_log import RunLog


def test_a_number_that_does_not_exist_is_null_in_the_file(tmp_path: Path) -> None:
    reported = []
    config = GRPOConfig(env="zerogym/Countdown-v0", out=str(tmp_path))
    with RunLog(config, reported.append, None) as log:
        log.write(1, {"loss": 0.5, "explained": math.nan, "ratio": math.inf})
    line = json.loads((tmp_path / "metrics.jsonl").read_text(), parse_constant=pytest.fail)
    assert line == {"step": 1, "loss": 0.5, "explained": None, "ratio": None}
    assert math.isnan(reported[0]["explained"])  # who looks on gets numbers
