"""`zerogym eval MODEL ENV`: pass@k of several sampled episodes a problem, and a log of them."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from zerogym.cli.console import (
    AsJson,
    UsageError,
    friendly,
    interrupted,
    json_only,
    out,
    print_json,
    printable,
    progress_bar,
    usage_errors,
)
from zerogym.cli.names import typed_id
from zerogym.errors import require

KS = (1, 4, 16, 64)
LOG = "outcomes.jsonl"
SHARES = {"retention": "Retention", "discovery": "discovery", "net_change": "net change"}


@friendly
def evaluate(
    model: Annotated[
        str, typer.Argument(help="A model by name, folder or address; or a log of this verb.")
    ],
    env: Annotated[
        str | None, typer.Argument(metavar="ENV", help="A text environment; none with a log.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Episodes of each problem.")] = 64,
    episodes: Annotated[int, typer.Option(min=1, help="How many problems.")] = 50,
    k: Annotated[
        str | None, typer.Option(help="Numbers with commas, at most those of --samples.")
    ] = None,
    temperature: Annotated[float, typer.Option(help="Of the replies.")] = 1.0,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="Of a reply.")] = 64,
    env_kwargs: Annotated[
        str, typer.Option(metavar="JSON", help="Arguments of the environment.")
    ] = "{}",
    seed: Annotated[int, typer.Option(min=0, help="Of the first problem and the replies.")] = 0,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The log of the outcomes.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The log of an earlier model to compare.")
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(help="A problem above this share of correct samples is in the support."),
    ] = 0.0,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw pass@k over k, with --against that of both: SVG."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Sample several episodes of each test problem: pass@k, max@k and the entropy of the answers.

    With --against, the differences from an earlier model: of pass@k, and the problems that it
    solved (its support) that are kept and lost, and those that are gained.
    """
    from zerogym.benchmarks.results.outcome_log import read_outcomes
    from zerogym.benchmarks.results.outcome_measures import (
        compare_outcomes,
        mean_entropy,
        mean_token_entropy,
        measures,
    )

    json_only(as_json)
    if picture is not None:
        require("matplotlib", "bench", "the picture")
    earlier = None if against is None else read_outcomes(against)
    if model.endswith(".jsonl"):
        if env is not None:
            raise UsageError(f"a log such as {model} is of its own environment: leave out {env}")
        log = Path(model)
    elif env is None:
        raise UsageError("zerogym eval needs ENV, for example: zerogym eval tiny RandomCalculation")
    else:
        _numbers(k, samples)
        with usage_errors(ValueError, TypeError, FileExistsError):
            sampling = _sampling(temperature, max_new_tokens, seed)
            kwargs = _json(env_kwargs)
            log = _sample(model, env, samples, episodes, kwargs, sampling, file, earlier)
    found = read_outcomes(log)
    ks = _numbers(k, found.samples)
    rows = measures(found.problems, ks)
    document = {
        **found.about,
        "log": log,
        "entropy": mean_entropy(found.problems),
        "token_entropy": mean_token_entropy(found.problems),
    }
    _show(document, len(found.problems), rows)
    document["at_k"] = [asdict(row) for row in rows]
    if earlier is not None:
        with usage_errors(ValueError, prefix=f"{against} cannot be compared: "):
            comparison = compare_outcomes(earlier, found, ks, threshold)
        _show_comparison(str(earlier.about.get("model")), comparison)
        document["against"] = {"log": against, **asdict(comparison)}
        if (support := comparison.support) is not None:
            document["against"]["support"] |= {name: getattr(support, name) for name in SHARES}
    if picture is not None:
        _draw(picture, [found] if earlier is None else [earlier, found])
    if as_json:
        print_json(document)


def _draw(path: Path, evaluations: Sequence[Any]) -> None:
    from zerogym.benchmarks.report.pass_curves import pass_picture
    from zerogym.benchmarks.results.results_file import write_whole

    write_whole(path, pass_picture(evaluations))
    out.print(f"Picture: {escape(printable(str(path)))}", soft_wrap=True)


def _sample(
    name: str, env: str, samples: int, episodes: int, kwargs: dict[str, Any], sampling: Any,
    file: Path | None, earlier: Any,
) -> Path:  # fmt: skip
    """Sample the problems and return the log; an earlier one must be comparable."""
    from zerogym.agents.llm.models.loading import require_llm
    from zerogym.agents.llm.sampled_evaluation import evaluate_samples, problem_arguments
    from zerogym.benchmarks.results.outcome_log import OutcomeLog
    from zerogym.benchmarks.results.outcome_measures import check_comparable
    from zerogym.benchmarks.results.provenance import provenance

    env_id, seed = typed_id(env), sampling.seed
    arguments = problem_arguments(env_id, kwargs)
    require_llm("zerogym eval")
    short = "-".join(re.sub(r"[^\w.-]+", "_", part.rpartition("/")[2]) for part in (env_id, name))
    path = file or Path("runs/eval") / f"{short}-{seed}" / LOG
    about = {"model": name, "env": env_id, "env_kwargs": arguments, "samples": samples}
    if earlier is not None:
        check_comparable(earlier.about, about)
    log = OutcomeLog(path, {**about, "sampling": asdict(sampling), **provenance()})
    with interrupted(f"problems that were complete are in {path}"), progress_bar() as bar:
        line = bar.add_task("problems", total=episodes, note="")

        def done(problem: Any) -> None:
            log.append(problem)
            bar.advance(line)

        evaluate_samples(
            name, env_id, samples, episodes, seed,
            sampling=sampling, on_problem=done, **arguments,
        )  # fmt: skip
    return path


def _sampling(temperature: float, tokens: int, seed: int) -> Any:
    from zerogym.agents.llm.generation.protocol import Sampling

    return Sampling(tokens, temperature, seed=seed)


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"--env-kwargs takes JSON, got {text!r:.80}: {error.msg}") from None
    if not isinstance(found, dict):
        raise UsageError(f"--env-kwargs takes a JSON object, got {text!r:.80}")
    return found


def _numbers(text: str | None, samples: int) -> list[int]:
    """Return the k of a text; by default some up to the number of samples."""
    if text is None:
        return sorted({k for k in (*KS, samples) if k <= samples})
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise UsageError(f"--k takes whole numbers with commas, got {text!r:.80}") from None
    if wrong := [k for k in found if not 1 <= k <= samples]:
        raise UsageError(f"--k must be in 1..{samples}, the samples of a problem, got {wrong[0]}")
    return found


def _show(document: dict[str, Any], problems: int, rows: Sequence[Any]) -> None:
    model, env, samples = (printable(str(document[each])) for each in ("model", "env", "samples"))
    split = document["env_kwargs"].get("split")
    of = f"{split} problems" if split else "problems (the task has no split)"
    table = Table("k", "pass@k", "max@k", "problems", box=None, header_style="bold", pad_edge=False)
    for row in rows:
        passed = "–" if row.passed is None else _estimate(row.passed)
        table.add_row(str(row.k), passed, _estimate(row.best), str(row.problems))
    out.print(f"[bold]{escape(model)}[/] in {escape(env)}: {problems} {of}, {samples} samples each")
    out.print(table)
    out.print(f"Entropy of the answers to a problem: {document['entropy']:.3f} nats")
    if (entropy := document["token_entropy"]) is not None:
        out.print(f"Entropy of a token: {entropy:.3f} nats")
    out.print("[dim]In parentheses the 95% interval over problems.[/]")
    out.print(f"Log: {escape(printable(str(document['log'])))}", soft_wrap=True)


def _show_comparison(earlier: str, found: Any) -> None:
    title = f"\n[bold]Against {escape(printable(earlier))}[/]: {found.problems} common problems"
    out.print(title)
    name = "pass@k" if found.support is not None else "max@k"
    table = Table("k", f"{name} before", "after", "difference", box=None, header_style="bold")
    for row in found.differences:
        values = (f"{value:.3f}" for value in row.values)
        table.add_row(str(row.k), *values, _estimate(row.difference, "+"))
    out.print(table)
    before, after = found.entropies
    out.print(f"Entropy of the answers: {before:.3f} nats before, {after:.3f} after")
    if (support := found.support) is not None:
        out.print(
            f"Support: {support.kept} kept, {support.lost} lost, {support.gained} gained, "
            f"{support.outside} solved by neither [dim](more than {found.threshold:g} of the "
            "samples correct)[/]"
        )
        shares = {name: getattr(support, name) for name in SHARES}
        out.print(", ".join(f"{SHARES[name]} {_share(share)}" for name, share in shares.items()))


def _estimate(estimate: Any, sign: str = "") -> str:
    """A value and its interval; one problem fixes no interval."""
    value, low, high = (
        format(each, f"{sign}.3f") for each in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} (–)" if low.strip("+") == "nan" else f"{value} ({low} to {high})"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"
