"""All tables of parts of a language model's training, by the setting of the run; no torch."""

from typing import Any

from zerogym.agents.llm.algorithms.advantage_tables import ADVANTAGES
from zerogym.agents.llm.algorithms.auxiliary_table import AUXILIARY
from zerogym.agents.llm.algorithms.episode_tables import FILTERS, SHAPINGS
from zerogym.agents.llm.algorithms.loss_tables import (
    AGGREGATIONS,
    CORRECTIONS,
    DIVERGENCES,
    RATIOS,
    REFERENCES,
    SEQUENCE_LOSSES,
    SURROGATES,
)
from zerogym.agents.llm.algorithms.rollout_tables import PROMPTS, ROLLOUTS
from zerogym.agents.llm.algorithms.stage_table import STAGES
from zerogym.agents.llm.rollout.context_window import CONTEXTS
from zerogym.agents.parts import Table
from zerogym.agents.self_play.opponents.table import OPPONENTS

TABLES: dict[str, Table[Any]] = {  # by the run's setting
    table.kind: table
    for table in (
        *(ADVANTAGES, SURROGATES, RATIOS, AGGREGATIONS, DIVERGENCES, REFERENCES),
        *(SEQUENCE_LOSSES, AUXILIARY, CORRECTIONS, FILTERS, SHAPINGS),
        *(CONTEXTS, PROMPTS, ROLLOUTS, OPPONENTS, STAGES),
    )
}
