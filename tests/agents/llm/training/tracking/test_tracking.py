"""TensorBoard shows every metric of a run once, also after a stop; its failures end no run."""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import lines_of
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import MissingExtra

pytest.importorskip("torch")
pytest.importorskip("transformers")
events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

from zerogym.agents.llm.training import grpo  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.llm.training.tracking import TensorBoard  # noqa: E402


@pytest.fixture
def config(tracked: GRPOConfig) -> GRPOConfig:
    return replace(tracked, track=("tensorboard",))


def shown(config: GRPOConfig) -> Any:
    """The events as TensorBoard reads them."""
    read = events.EventAccumulator(str(Path(config.out) / "tensorboard"))
    return read.Reload()


def scalars(config: GRPOConfig) -> dict[str, list[tuple[int, float]]]:
    """The steps and values of each number that TensorBoard shows."""
    read = shown(config)
    return {
        name: [(event.step, event.value) for event in read.Scalars(name)]
        for name in read.Tags()["scalars"]
    }


def logged(config: GRPOConfig) -> dict[str, list[tuple[int, float]]]:
    """Those of `metrics.jsonl`."""
    reported: dict[str, list[tuple[int, float]]] = {}
    for line in lines_of(config):
        for name in line.keys() - {"step"}:
            reported.setdefault(name, []).append(
                (line["step"], pytest.approx(line[name], rel=1e-6))
            )
    return reported


def settings(config: GRPOConfig) -> list[tuple[int, Any]]:
    """The settings that TensorBoard shows, each with the step from which they held."""
    kept = shown(config).Tensors("settings/text_summary")
    return [(one.step, json.loads(one.tensor_proto.string_val[0])) for one in kept]


def test_every_metric_of_a_run_is_shown_at_once(config: GRPOConfig) -> None:
    observed = []
    train(config, lambda _: observed.append(scalars(config) == logged(config)))
    assert observed == [True] * 4
    assert [step for step, _ in scalars(config)["time/update"]] == [1, 2]
    assert [step for step, _ in scalars(config)["eval/episodes"]] == [0, 2]
    assert settings(config) == [(0, json.loads(json.dumps(asdict(config))))]


def test_a_resumed_run_shows_each_step_once(config: GRPOConfig) -> None:
    class Killed(BaseException):
        """An error that no run survives."""

    def kill(metrics: Any) -> None:
        if metrics["step"] == 3:
            raise Killed

    more = replace(config, steps=4, save_every=2)
    with pytest.raises(Killed):
        train(more, kill)
    taken = [step for step, _ in scalars(config)["time/update"]]
    assert taken == [1, 2, 3]  # the last is not saved
    train(more, resume=True)
    assert [step for step, _ in scalars(config)["time/update"]] == [1, 2, 3, 4]
    assert scalars(config) == logged(config)
    assert [step for step, _ in settings(config)] == [0, 3]


def test_a_run_that_was_never_saved_leaves_nothing(config: GRPOConfig) -> None:
    def fail(metrics: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(replace(config, eval_episodes=1), fail)
    train(config)
    assert scalars(config) == logged(config)


def test_ctrl_c_closes(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    close = TensorBoard.close
    monkeypatch.setattr(TensorBoard, "close", lambda self: closed.append(close(self)))

    def stop(metrics: Any) -> None:
        if metrics["step"] == 1:
            raise KeyboardInterrupt

    assert train(config, stop).status == "interrupted"
    assert closed == [None]
    assert scalars(config) == logged(config)


@pytest.mark.parametrize("part", ["__init__", "write", "close"])
def test_a_tracker_that_fails_gives_one_warning(
    config: GRPOConfig, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TensorBoard, part, full)
    with pytest.warns(UserWarning, match="tensorboard fails, .*No space left") as reported:
        assert train(config).status == "done"
    assert len([each for each in reported if "tensorboard fails" in str(each.message)]) == 1
    assert [line["step"] for line in lines_of(config)] == [0, 1, 2, 2]


def test_a_missing_package_is_named_before_the_model_is_loaded(
    config: GRPOConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    monkeypatch.setattr(grpo, "model_of_run", None)
    with pytest.raises(MissingExtra, match=r"needs tensorboard: pip install 'zerogym\[track\]'"):
        train(config)
    assert not Path(config.out).exists()
