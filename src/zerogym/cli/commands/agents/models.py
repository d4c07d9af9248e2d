"""`zerogym model [NAME]`: the language models of this machine, and what training has changed."""

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
    changed_from: Annotated[
        str | None,
        typer.Option(
            "--changed-from",
            metavar="START",
            help="The model before training: show the share of weights that have changed.",
        ),
    ] = None,
) -> None:
    """Prepare a language model, list the known ones, or compare one with its start."""
    if name == "list":
        for known, state in known_models():
            out.print(f"{known:<10} {state}")
        return
    if changed_from is not None:
        _compare(changed_from, name)
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


def _compare(start: str, trained: str) -> None:
    """Print the share of changed weights of a model, and of its most and least changed tensors."""
    from zerogym.agents.llm.models.changed_weights import changed_weights

    whole, tensors = changed_weights(start, trained)
    out.print(
        f"Of {whole.weights:,} weights {whole.share:.1%} differ by more than 1e-5, "
        f"{whole.rounded_share:.1%} in bfloat16."
    )
    untouched = sum(each.changed == 0 for each in tensors)
    out.print(f"[dim]{untouched} of {len(tensors)} tensors have no weight that differs.[/]")
    for each in sorted(tensors, key=lambda each: -each.share)[:5]:
        out.print(f"{each.share:7.1%}  {each.rounded_share:7.1%}  {escape(each.name)}")


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
