"""The command that makes a run again, and the entry that cites the package."""

import importlib.resources
import re
import shlex

from zerogym.benchmarks.results.schema import Suite
from zerogym.benchmarks.suites.suites import QUICK

_FIELD = re.compile(r'^(?:  - )?(\w[\w-]*): *"?(.*?)"?$', re.MULTILINE)


def command_of(suite: Suite, seed: int) -> str:
    """Return the command that makes a run again; empty for a suite that no command has.

    Args:
        suite: `QUICK`, a part of it, or one of these with external models.
        seed: Of the run.
    """
    known = {world.name: world.env_id for world in QUICK.worlds}
    if suite.name != QUICK.name or any(known.get(w.name) != w.env_id for w in suite.worlds):
        return ""
    own = [agent.name for agent in QUICK.agents]
    models = [agent.name for agent in suite.agents if agent.name not in own]
    only = [world.name for world in suite.worlds] if len(suite.worlds) < len(known) else []
    if len(suite.agents) - len(models) < len(own):
        ends = (suite.floor, suite.ceiling)
        only += [a.name for a in suite.agents if a.name not in ends] or [suite.floor]
    words = ["zerogym", "bench", "quick", "--seed", str(seed), "--out", "again"]
    for option, names in (("--model", models), ("--only", only)):
        words += [word for name in names for word in (option, name)]
    return shlex.join(words)


def citation() -> str:
    """Return the package's CITATION.cff as an entry of BibTeX."""
    text = importlib.resources.files("zerogym.benchmarks").joinpath("data/CITATION.cff").read_text()
    fields = _FIELD.findall(text)
    found = dict(fields)
    authors = " and ".join(f"{{{value}}}" for name, value in fields if name == "name")
    return (
        f"@software{{zerogym,\n  title = {{{found['title']}}},\n  author = {{{authors}}},\n"
        f"  version = {{{found['version']}}},\n  license = {{{found['license']}}}\n}}"
    )
