"""Names in the files of runs and data: they import nothing and send no key."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("torch")
pytest.importorskip("transformers")

from helpers.llm.model_server import Answer, Request, serving
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.llm.models.endpoints import read_server
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train
from zerogym.cli import app
from zerogym.cli.names import typed_modules
from zerogym.envs.games.cards.kuhn_poker import KuhnPokerEnv
from zerogym.envs.games.opponents.registry import split_names
from zerogym.envs.recorded import recorded_id, without_keys
from zerogym.errors import ImportRefused

ID = "intruder:Intruder-v0"
REGISTERS = """
import gymnasium
entry_point = "zerogym.envs.control.gridworlds.four_rooms:FourRoomsEnv"
gymnasium.register("Intruder-v0", entry_point=entry_point, kwargs={"layout": "u_map"})

class Same(gymnasium.Wrapper):
    pass
"""


@pytest.fixture(autouse=True)
def intruder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module that registers environments, and that nobody has imported."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules/intruder.py").write_text(REGISTERS)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    yield
    forget()


def forget() -> None:
    sys.modules.pop("intruder", None)
    typed_modules.discard("intruder")
    gym.registry.pop("Intruder-v0", None)


def run(*arguments: object) -> Result:
    found = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "400"})
    assert "Traceback" not in found.output
    return found


def rename(file: Path, **settings: Any) -> None:
    """Change settings in a file, and in its `config`."""
    content = json.loads(file.read_text())
    for part in (content, content.get("config", {})):
        part |= {name: value for name, value in settings.items() if name in part}
    file.write_text(json.dumps(content))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    assert not run("collect", "UMap", "--steps", 40, "--out", tmp_path / "data").exit_code
    rename(tmp_path / "data/dataset.json", env=ID)
    return tmp_path / "data"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    settings = FBConfig(data_steps=2000, batch_size=32, dim=8, hidden=16, updates=2)
    train(settings, tmp_path / "agent")
    rename(tmp_path / "agent/config.json", env=ID)
    return tmp_path / "agent"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    (folder / "checkpoint-000001").mkdir(parents=True)
    (folder / "checkpoint-000001/run.json").write_text(json.dumps({"config": {"env": ID}}))
    return folder


def refused(*command: object) -> None:
    found = run(*command)
    assert found.exit_code == 2 and "intruder" not in sys.modules
    assert re.search(r"^error .*names the environment 'intruder:Intruder-v0'", found.output, re.M)
    assert len(found.output.strip().splitlines()) == 1
    assert "zerogym --import intruder" in found.output


def test_data_import_no_module(data: Path, tmp_path: Path) -> None:
    for command in (("card", data), ("export", data, "a/b-v0"), ("subset", data)):
        out = ("--out", tmp_path / "part") if command[0] == "subset" else ()
        refused("data", *command, *out)
    refused("collect", "--resume", data, "--steps", 80)
    with pytest.raises(ImportRefused, match=r"dataset\.json"):
        load_dataset(data).make()
    assert len(load_dataset(data)) == 40  # the arrays need no environment


def test_runs_import_no_module(agent: Path, model: Path, tmp_path: Path) -> None:
    (tmp_path / "prompt.json").write_text("{}")
    refused("infer", agent)
    refused("predict", agent, tmp_path / "prompt.json")
    refused("train", "fb", "--resume", agent)
    refused("train", "llm", "--resume", model)


def test_a_module_that_the_user_types_is_imported(data: Path, agent: Path) -> None:
    first = ("--import", "intruder")
    assert run(*first, "data", "card", data).exit_code == 0
    forget()
    assert run(*first, "infer", agent, "--task", "goal_1_1", "--episodes", 1).exit_code == 0
    forget()
    assert run("train", "fb", "--resume", agent, "--env", ID).exit_code == 0
    forget()
    rename(data / "dataset.json", steps=60, complete=False)
    assert run("collect", "--resume", data, "--env", ID).exit_code == 0
    assert len(load_dataset(data, ID)) == 60
    missing = run("collect", "nowhere:X-v0")
    assert missing.exit_code == 2 and "'nowhere' cannot be imported" in missing.output
    assert run("--import", "nowhere", "data", "card", data).exit_code == 2


def test_an_id_with_a_module_is_taken_with_and_without_a_namespace(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run("collect", ID, "--steps", 20, "--out", folder).exit_code == 0
    assert json.loads((folder / "dataset.json").read_text())["env"] == ID
    small = ("--updates", 1, "--batch-size", 8, "--dim", 4)
    for number, name in enumerate((ID, "zerogym:zerogym/UMap-v0")):
        own = ("--env", name, "--out", tmp_path / f"fb-{number}")
        data = ("--data", folder) if name == ID else ("--data-steps", 60)
        assert run("train", "fb", *own, *data, *small).exit_code == 0


def test_wrappers_of_a_file_import_no_module(agent: Path, model: Path) -> None:
    own = {"intruder:Same": {}}
    rename(agent / "config.json", env="zerogym/UMap-v0", wrappers=own)
    config = {"config": {"env": "zerogym/RandomCalculation-v0", "wrappers": own}}
    (model / "checkpoint-000001/run.json").write_text(json.dumps(config))
    for command in (
        ("infer", agent),
        ("train", "fb", "--resume", agent),
        ("train", "llm", "--resume", model),
    ):
        found = run(*command)
        assert found.exit_code == 2 and "intruder" not in sys.modules
        assert re.search(r"^error .*names 'intruder:Same' among", found.output, re.M)
        assert len(found.output.strip().splitlines()) == 1
    infer = ("infer", agent, "--task", "goal_1_1", "--episodes", 1)
    assert run("--import", "intruder", *infer).exit_code == 0
    forget()
    typed = ("--wrappers", json.dumps(own))
    found = run("train", "fb", "--resume", agent, *typed)
    assert found.exit_code == 0 and "intruder" in sys.modules, found.output


@pytest.mark.parametrize("name", ["x:y:Z-v0", ":Z-v0", "os:path:Z-v0", 7, None, ["os:Z-v0"]])
def test_what_is_no_id_is_refused(name: object) -> None:
    with pytest.raises(ImportRefused, match=r"config\.json"):
        recorded_id(name, Path("config.json"))


HOST = "http://h:1/v1"
NAMED = [
    f"{HOST}#m",
    f"{HOST}#m?key_from=SECRET",
    f"{HOST}#m?key%5Ffrom=SECRET",
    f"{HOST}#m?key_from=&key_from=SECRET",
    f"{HOST}#m?key_from=SECRET&timeout=3",
    f"{HOST}#key_from=",
    f"{HOST}#m&key_from=",
    f"{HOST}#m#n?key_from=SECRET",
    f"{HOST}#c++m?key_from=SECRET",
    f"{HOST}#a/b:c d?key_from=SECRET",
    f"{HOST}#m?key_from=SECRET+random:3",
    f"https://h/v1#m?key_from=SECRET#{HOST}#n?key_from=",
]


@pytest.mark.parametrize("name", NAMED)
def test_a_server_that_a_file_names_gets_no_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "sk-1")
    monkeypatch.setenv("ZEROGYM_API_KEY", "sk-2")
    monkeypatch.setenv("SECRET+random:3", "sk-3")
    assert read_server(without_keys(name)).key == ""
    named = f"random+llm:{name}+mcts:50"
    settings = {"opponent": {named: 1.0}, "others": [named], "servers": (name,)}
    safe = without_keys(settings)
    assert without_keys(safe) == safe
    for text in (*safe["opponent"], *safe["others"]):
        parts = split_names(text)
        assert parts[0] == "random" and parts[-1] == "mcts:50"
        assert len(parts) == len(split_names(named))
        assert read_server(parts[1].removeprefix("llm:")).key == ""
    assert [read_server(one).key for one in safe["servers"]] == [""]


def test_other_settings_stay_as_they_are() -> None:
    text = "Read http://h/v1#m first, then https://h/v1#n?a=b."
    settings = {"system": text, "n": 1, "opponent": "random+past:/a/c++/b", "x": [None, True, 0.5]}
    assert without_keys(settings) == settings


def replying(request: Request) -> Answer:
    message = {"message": {"content": "<answer>pass</answer>"}, "finish_reason": "stop"}
    return Answer({"choices": [message]})


def test_a_resumed_run_sends_a_key_only_where_the_user_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "sk-1")
    with serving(replying) as server:
        opponent = ("--eval-opponent", f"llm:{server.address}#m?key_from=SECRET")

        def keys(*arguments: object) -> set[str | None]:
            server.requests.clear()
            found = run("train", "llm", *arguments)
            assert found.exit_code == 0, found.output
            assert ("no key is sent" in found.output) == ("--resume" in arguments[:1])
            return {request.authorization for request in server.requests}

        small = ("--prompts-per-step", 1, "--group-size", 2, "--max-new-tokens", 4)
        first = ("--env", "zerogym/kuhn_poker-v0", "--eval-episodes", 2, *small, *opponent)
        out = tmp_path / "run"
        assert keys(*first, "--steps", 0, "--out", out) == {"Bearer sk-1"}
        assert keys("--resume", out, "--steps", 1) == {None}
        assert keys(*opponent, "--resume", out, "--steps", 2) == {"Bearer sk-1"}


def test_data_make_opponents_without_a_key(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "sk-1")
    with serving(replying) as server:
        opponent = f"llm:{server.address}#m?key_from=SECRET"
        named = {"env_kwargs": {"opponent": opponent, "seat": 1}, "env": "zerogym/KuhnPoker-v0"}
        rename(data / "dataset.json", **named)
        env = load_dataset(data).make()
        assert isinstance(env.unwrapped, KuhnPokerEnv)
        env.reset(seed=0)
        assert {request.authorization for request in server.requests} == {None}
