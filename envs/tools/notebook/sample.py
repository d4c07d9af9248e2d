"""Draws a puzzle of any kind."""

from collections.abc import Callable

import numpy as np

from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.notebook.dates import sample_dates
from zerogym.envs.tools.notebook.graphs import sample_graph
from zerogym.envs.tools.notebook.logs import sample_log
from zerogym.envs.tools.notebook.number_lists import sample_numbers
from zerogym.envs.tools.notebook.puzzle import Puzzle
from zerogym.envs.tools.notebook.records import sample_records
from zerogym.envs.tools.notebook.simulations import sample_simulation
from zerogym.envs.tools.notebook.tables import sample_tables
from zerogym.envs.tools.notebook.texts import sample_text

Sampler = Callable[[np.random.Generator, float, bool], Puzzle]

SAMPLERS: dict[str, Sampler] = {
    "table": sample_tables,
    "log": sample_log,
    "graph": sample_graph,
    "simulation": sample_simulation,
    "text": sample_text,
    "records": sample_records,
    "numbers": sample_numbers,
    "dates": sample_dates,
}
TRIES = 50  # until a puzzle is sound


def sample_puzzle(
    rng: np.random.Generator, difficulty: float, category: str | None = None
) -> Puzzle:
    """Draw a puzzle, of any kind equally often or of one; in rare cases it is not sound."""
    hidden = bool(rng.random() < difficulty)
    sampler = SAMPLERS[category or pick(rng, list(SAMPLERS))]
    puzzle = sampler(rng, difficulty, hidden)
    for _ in range(TRIES):
        if puzzle.is_sound():
            break
        puzzle = sampler(rng, difficulty, hidden)
    return puzzle
