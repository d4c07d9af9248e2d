"""Runs of decision transformers: targets of the data, the commands, bad input."""

import json
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch")

import zerogym  # noqa: E402, F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel, read_tensors  # noqa: E402
from zerogym.agents.datasets.dataset import Dataset, collect  # noqa: E402
from zerogym.agents.offline import (  # noqa: E402
    DecisionTransformer,
    SequenceConfig,
    relabelled,
    training,
)
from zerogym.agents.offline.run_config import OfflineRunConfig  # noqa: E402
from zerogym.agents.offline.sequences.reached import choose, reached_in  # noqa: E402
from zerogym.agents.offline.sequences.windows import steps_of  # noqa: E402
from zerogym.agents.offline.training import train_offline  # noqa: E402
from zerogym.cli import app  # noqa: E402

RADIO, TASK = "zerogym/CognitiveRadio-v0", "avoid"
SHORT: dict[str, Any] = {"horizon": 12}
MODEL: dict[str, Any] = {"context": 3, "width": 8, "layers": 1}
CONSTRAINED = "constrained_decision_transformer"
OPTIONS = (
    *("--env=CognitiveRadio", '--env-kwargs={"horizon": 12}', f"--task={TASK}", "--seed=2"),
    *("--data-steps=50", "--updates=5", "--episodes=2"),
)
PARTS = ("--method.context=3", "--method.width=8", "--method.layers=1")


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [*map(str, arguments)])


def refused(words: str, *arguments: object) -> None:
    found = run(*arguments)
    shown = " ".join(re.sub(r"[│╭╮╰╯─]", " ", found.output).split())
    assert found.exit_code == 2 and words in shown and "Traceback" not in shown, shown


@pytest.mark.parametrize("constrained", [True, False])
def test_the_target_is_the_best_return_within_the_budget_by_enumeration(constrained: bool) -> None:
    rng = np.random.default_rng(5)
    pairs = rng.integers(6, size=(9, 2)).astype(float)  # (cost, return) of 9 episodes
    pairs[-1] = (-50, 90)  # the last one may be cut: it does not count
    values, flat = np.repeat(pairs / 2, 2, 0), np.zeros((18, 1), np.float32)  # of two steps
    dataset = Dataset(flat, np.arange(18) % 2, flat, np.arange(18) % 2 == 0,
                      costs=values[:, 0].astype(np.float32))  # fmt: skip
    steps = steps_of(relabelled(dataset, lambda *_: values[:, 1]), constrained)
    reached, whole = reached_in(steps), pairs[:-1]
    assert len(reached) <= (6 if constrained else 1)
    for budget in (*range(6), 2.5) if constrained else (None,):
        within = [r for c, r in whole if budget is None or c <= budget]
        if within:
            assert choose(reached, constrained, None, budget) == (max(within), budget)
        else:
            with pytest.raises(ValueError, match=f"at most {budget}, the least is"):
                choose(reached, constrained, None, budget)
        assert choose(reached, constrained, 7.0, budget) == (7.0, budget)
    least = float(whole[:, 0].min())
    found = choose(reached, constrained, None, None)
    if constrained:
        assert found == (max(r for c, r in whole if c == least), least)
    ended = dataset.columns() | {"terminated": np.arange(18) == 17}
    data = relabelled(Dataset(**ended), lambda *_: values[:, 1])
    assert reached_in(steps_of(data, False)) == ((0.0, 90.0),)
    with pytest.raises(ValueError, match="does not say what its data reached"):
        choose((), False, None, None)


def test_the_command_trains_a_constrained_one_and_predict_plays_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    result = run("train", "offline", *OPTIONS, *PARTS, f"--method={CONSTRAINED}", f"--out={folder}")
    assert result.exit_code == 0, result.output
    env = gym.make(RADIO, **SHORT)
    world: Any = env.unwrapped
    task = world.tasks[TASK]
    data = relabelled(collect(env, 50, seed=2), task)
    own = DecisionTransformer(SequenceConfig(**MODEL, constrained=True, updates=5, seed=2), data, 6)
    loss = own.learn(data)["loss/actor"]
    found = DecisionTransformer.load(folder / "model")
    assert found.reached == own.reached and found.config == own.config
    for name, value in own.model.state_dict().items():
        assert torch.equal(found.model.state_dict()[name], value), name
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [row["loss/actor"] for row in log] == [loss, loss]

    def played(target: float, budget: float) -> tuple[float, float]:
        cost, total, spent = 0.0, 0.0, 0.0
        policy = own.policy(target, task, budget, lambda *_: np.array([cost]))
        own_env = gym.make(RADIO, **SHORT, task=TASK)
        for seed in (2, 3):
            row, state, over = own_env.reset(seed=seed)[0], None, False
            while not over:
                (act,), state = policy.predict(row[None], state)
                row, reward, end, cut, info = own_env.step(act)
                cost, over = info["cost"], end or cut
                total, spent = total + float(reward), spent + cost
        return total / 2, spent / 2

    budget, target = own.reached[0]
    mean, cost = played(target, budget)
    assert (log[-1]["evaluation/return"], log[-1]["evaluation/cost"]) == (mean, cost)
    assert f"{TASK}: {mean:.2f}, mean cost {cost:.2f} over 2" in result.output
    mean, cost = played(9.0, 4.0)
    shown = run("predict", folder, "--episodes=2", "--seed=2", "--target=9", "--budget=4").output
    cells = [cell.strip() for cell in re.split(r"[│|]", shown) if re.search(r"\d", cell)][-7:]
    assert cells[:3] == ["9", "4", f"{mean:.2f}"] and cells[-1] == f"{cost:.2f}", shown
    for words, arguments in (
        ("at most -1, the least is", ("--budget=-1",)),
        ("target must be a finite number", ("--target=nan",)), ("no prompts", ("z.json",)),
    ):  # fmt: skip
        refused(words, "predict", folder, *arguments)
    refused("is of an offline agent", "infer", folder)
    record = json.loads((folder / "model" / "config.json").read_text())
    for value, words in ((None, "give target and budget"), ([[0, "x"]], "no list of costs")):
        record["reached"] = value
        kept = record if value is not None else {k: v for k, v in record.items() if k != "reached"}
        (folder / "model" / "config.json").write_text(json.dumps(kept))
        refused(words, "predict", folder)


def test_a_run_that_was_stopped_goes_on_to_the_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "_EVERY", 2)
    part = {"part": "decision_transformer", **MODEL, "batch_size": 8}
    for method, more in ((part, {}), ("iql", {"hidden": 4, "draw": "return", "batch_size": 8})):
        config = OfflineRunConfig(
            env=RADIO, env_kwargs=SHORT, task=TASK, method=method, data_steps=40, updates=5,
            episodes=1, **more,
        )  # fmt: skip
        whole, parts = (tmp_path / f"{len(more)}{name}" for name in "ab")
        train_offline(config, whole)

        def stop(updates: int, metrics: Any) -> None:
            if updates == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train_offline(config, parts, stop)
        assert int(read_tensors(parts / "checkpoint.safetensors")["updates"]) == 4
        assert not (parts / "model").exists()
        with (parts / "log.jsonl").open("a") as log:  # of an update that was not saved
            log.write('{"update": 5, "loss/actor": 0.0}\n')
        for _ in range(2):  # a finished run stays as it is
            train_offline(config, parts)
            for name in ("checkpoint.safetensors", "model/model.safetensors"):
                one, other = (read_tensors(folder / name) for folder in (whole, parts))
                assert one.keys() == other.keys()
                assert all(torch.equal(one[key], other[key]) for key in one), name
            assert (parts / "log.jsonl").read_bytes() == (whole / "log.jsonl").read_bytes()
        for name, text in (("log.jsonl", "[]\n"), ("checkpoint.safetensors", "x")):
            (parts / name).write_text(text)
            with pytest.raises(NotAModel):
                train_offline(config, parts)


def test_ctrl_c_says_how_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_EVERY", 2)
    learn = DecisionTransformer.learn

    def stop(agent: DecisionTransformer, *given: Any) -> Any:
        if agent.updates == 2:
            raise KeyboardInterrupt
        return learn(agent, *given)

    folder = tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(DecisionTransformer, "learn", stop)
        stopped = run(
            "train", "offline", *OPTIONS, *PARTS, "--method=decision_transformer", f"--out={folder}"
        )
    shown = " ".join(stopped.output.split())
    assert stopped.exit_code == 130
    assert "saved after 2 updates; continue with: zerogym train offline --resume" in shown
    assert run("train", "offline", "--resume", folder).exit_code == 0
    rows = [json.loads(line)["update"] for line in (folder / "log.jsonl").read_text().splitlines()]
    assert rows == [2, 4, 5, 5]


def test_resume_reads_the_settings_and_every_mistake_has_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    sequence = "--method=decision_transformer"
    begun = run("train", "offline", *OPTIONS, *PARTS, sequence, f"--out={folder}")
    assert begun.exit_code == 0 and "mean cost" in begun.output
    again = run("train", "offline", "--resume", folder)
    assert again.exit_code == 0, again.output
    assert again.output.splitlines()[-2] == begun.output.splitlines()[-2]
    refused("takes no budget", "predict", folder, "--budget=1")
    record = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**record, "method": "antigravity:Fly"}))
    refused("nothing that a file names is imported", "train", "offline", "--resume", folder)
    other = f"--out={tmp_path / 'other'}"
    umap = ("--env=UMap", '--env-kwargs={"horizon": 9}', "--task=goal_1_1", "--data-steps=40")
    for words, arguments in (
        ("decision_transformer learns whole trajectories and has no lr", (sequence, "--lr=3e-4")),
        ("has no draw, gamma", (sequence, "--gamma=0.5", "--draw=return")),
        ("'iql' has no setting 'context'", ("--method.context=3",)),
        ("width must be a multiple of heads", (sequence, "--method.heads=3")),
        ("the data are one trajectory", (*OPTIONS, sequence, "--data-steps=12")),
        (
            "these transitions have no costs",
            (*umap, f"--method={CONSTRAINED}", '--env-kwargs={"horizon": 9}'),
        ),
    ):
        refused(words, "train", "offline", other, *arguments)
    assert not (tmp_path / "other").exists()
    model = folder / "model" / "config.json"
    kept = json.loads(model.read_text())
    refused("only offline agents take", "predict", tmp_path, "--target=1")
    model.write_text(json.dumps({**kept, "format": "zerogym offline agent 1"}))
    refused("is not an offline agent", "predict", folder)
