"""tools/install.py: the choice of torch, and runs that install nothing. No network is used."""

import json
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

CUDA_PLAN = ["torch", "nvidia-cudnn-cu13", "cuda-toolkit", "triton", "sympy"]
CPU_PLAN = ["torch", "sympy", "networkx"]


def report(names: Sequence[str]) -> dict[str, Any]:
    """A pip installation report, reduced to the part that is read."""
    return {"version": "1", "install": [{"metadata": {"name": name}} for name in names]}


class FakePip:
    """Dry runs from a table; records the arguments."""

    def __init__(self, plans: dict[str, list[str] | None]) -> None:
        self.plans, self.calls = plans, []

    def __call__(self, arguments: Sequence[str]) -> dict[str, Any] | None:
        self.calls.append(list(arguments))
        plan = self.plans[arguments[-1]]
        return None if plan is None else report(plan)


@pytest.fixture
def install(load_tool: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, writing its stamp and constraints to a temporary folder."""
    module = load_tool("install")
    monkeypatch.setattr(module, "STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(module, "CONSTRAINTS", tmp_path / "constraints.txt")
    return module


def test_the_choice_of_torch(install: ModuleType) -> None:
    for gpu in (True, False):  # an installed torch is kept
        required = install.torch_requirement("2.9.1+cu129", gpu, FakePip({}))
        assert required == "torch==2.9.1+cu129"
    assert install.torch_requirement(None, True, FakePip({})) == "torch>=2.8,<3"
    plain = FakePip({"torch>=2.8,<3": CPU_PLAN})
    assert install.torch_requirement(None, False, plain) == "torch>=2.8,<3"
    for first in (CUDA_PLAN, None):
        pip = FakePip({"torch>=2.8,<3": first, "torch==2.13.0": CPU_PLAN})
        assert install.torch_requirement(None, False, pip) == "torch==2.13.0"
        assert len(pip.calls) == 2


def test_without_a_cpu_build_it_stops_with_instructions(install: ModuleType) -> None:
    pip = FakePip({"torch>=2.8,<3": CUDA_PLAN, "torch==2.13.0": CUDA_PLAN})
    with pytest.raises(SystemExit, match="PIP_EXTRA_INDEX_URL") as stopped:
        install.torch_requirement(None, False, pip)
    assert f"{sys.executable} -m pip install torch" in str(stopped.value)


def test_an_extra_that_brings_cuda_is_refused_by_name(install: ModuleType) -> None:
    cuda = ["cuda-toolkit", "nvidia-cublas", "nvidia-cufft", "nvidia-nccl-cu13", "triton"]
    others = ["numpy", "torch", "nvidia", "tritonclient", "barracuda-x"]
    named = report([*others, "NVIDIA.cufft", "nvidia_nccl_cu13", *cuda[:2], "triton"])
    assert install.cuda_packages(named) == cuda
    install.refuse_cuda(report(CPU_PLAN))
    with pytest.raises(SystemExit, match="cuda-toolkit, nvidia-cudnn-cu13, triton"):
        install.refuse_cuda(report(CUDA_PLAN))
    with pytest.raises(SystemExit, match="no set of packages"):
        install.refuse_cuda(None)


def test_extras_expand_to_those_they_include(install: ModuleType) -> None:
    table = {"a": ["numpy"], "b": [], "all": ["zerogym[a,b]"], "dev": ["zerogym[all]", "ruff"]}
    assert install.expand(["dev"], table) == {"dev", "all", "a", "b"}
    assert install.expand(["a"], table) == {"a"}
    with pytest.raises(SystemExit, match=r"no extra 'c'.*a, b"):
        install.expand(["a", "c"], table)


def test_the_stamp_covers_fewer_extras_but_no_other_pyproject(install: ModuleType) -> None:
    for text in ("", "{", "[1]"):  # a damaged stamp is ignored
        install.STAMP.write_text(text)
        assert install.read_stamp() == {}
    stamp = {"pyproject": "abc", "extras": ["all", "dev"]}
    assert install.up_to_date(stamp, "abc", {"all"})
    assert not install.up_to_date(stamp, "abc", {"all", "ray"})
    assert not install.up_to_date(stamp, "abd", {"all"})
    assert not install.up_to_date({}, "abc", set())


def test_a_run_installs_once(install: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[str] = []
    versions = iter([None, None, "2.13.0+cpu"])
    pip = FakePip({"torch>=2.8,<3": CUDA_PLAN, "torch==2.13.0": CPU_PLAN})
    pip.plans[f"{install.ROOT}[{','.join(sorted(all_extras(install)))}]"] = ["numpy"]
    monkeypatch.setattr(install, "has_gpu", lambda: False)
    monkeypatch.setattr(install, "torch_version", lambda: next(versions))
    monkeypatch.setattr(install, "dry_run", pip)
    monkeypatch.setattr(install, "pip", lambda *arguments: installed.append(arguments[-1]))
    monkeypatch.setattr(install, "compile_packages", lambda: installed.append("compiled"))
    monkeypatch.setattr(install, "check_imports", lambda: None)
    install.main([])
    names = [name.partition("[")[0] for name in installed]
    assert names == ["torch==2.13.0", str(install.ROOT), "compiled"]
    assert install.CONSTRAINTS.read_text() == "torch==2.13.0+cpu\n"
    assert "llm" in json.loads(install.STAMP.read_text())["extras"]
    install.main(["sb3"])  # a second run would end the iterator of versions
    assert len(installed) == 3


def test_what_is_installed_is_compiled_and_what_cannot_be_is_left(
    install: ModuleType, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    (tmp_path / "good.py").write_text("x = 1")
    (tmp_path / "template.py").write_text("class {{ name }}: pass")
    monkeypatch.setattr(install.sysconfig, "get_path", lambda name: str(tmp_path))
    install.compile_packages()
    compiled = [path.name.partition(".")[0] for path in tmp_path.rglob("*.pyc")]
    assert compiled == ["good"] and capfd.readouterr() == ("", "")


def all_extras(install: ModuleType) -> set[str]:
    """The extras of `all` in the real pyproject.toml."""
    project = install.tomllib.loads((install.ROOT / "pyproject.toml").read_text())["project"]
    extras: set[str] = install.expand(["all"], project["optional-dependencies"])
    return extras
