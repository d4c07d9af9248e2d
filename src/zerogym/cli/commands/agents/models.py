"""`zerogym model [NAME]`: the language models of this machine, and how to get SmolLM2."""

from typing import Annotated

import typer
from rich.markup import escape

from zerogym.cli.console import friendly, out
from zerogym.errors import ZerogymError


@friendly
def model(
    name: Annotated[
        str, typer.Argument(help="list, tiny, smollm2, a directory or a hub id owner/name.")
    ] = "list",
) -> None:
    """Prepare a language model, or list the known ones."""
    if name == "list":
        for known, state in known_models():
            out.print(f"{known:<10} {state}")
        return
    from zerogym.agents.llm.models.directories import model_directory
    from zerogym.agents.llm.models.loading import load_model

    if name == "smollm2":
        from zerogym.agents.llm.models.smollm2 import prepare_smollm2

        prepare_smollm2(on_progress=lambda text: out.print(escape(text)))
        out.print(
            "[dim]A small model: its answers are right now and then and seldom in the asked form. "
            "Good for a first signal, no reasoner.[/]"
        )
    else:
        model_directory(name)  # an unknown one ends here, before torch is loaded
    loaded, tokenizer = load_model(name, device="cpu")
    parameters = sum(p.numel() for p in loaded.parameters())
    out.print(
        f"[green]{escape(name)}[/] loads: {type(loaded).__name__}, {parameters / 1e6:.1f} M "
        f"parameters, vocabulary {len(tokenizer)}"
    )


def known_models() -> list[tuple[str, str]]:
    """Short names and their states, as text."""
    from zerogym.agents.llm.models.directories import NAMES, model_directory

    found = []
    for name in NAMES:
        try:
            found.append((name, f"ready: {model_directory(name)}"))
        except ZerogymError as error:
            found.append((name, str(error)))
    return found
