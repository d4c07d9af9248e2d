"""Short rules of the best known games of OpenSpiel, which has none, from `data/descriptions.txt`.

Each paragraph begins with the name of its game. What depends on a parameter is named by it; the
prompt shows the parameters. Left out: all other games, for which the prompt says so.
"""

from pathlib import Path

_TABLE = Path(__file__).with_name("data").joinpath("descriptions.txt").read_text("ascii")
_PARAGRAPHS = (each.strip().partition(":\n") for each in _TABLE.split("\n\n"))

WORDS = {name: rules for name, _, rules in _PARAGRAPHS}
