"""The datasets of reasoning-gym as environments.

Left out: its curricula; its configuration is passed on as it is.
"""

import functools
import json
from typing import Any

from zerogym.envs.reasoning.bridges.core import BridgeEnv
from zerogym.envs.splits import Split
from zerogym.errors import UnknownName, require

ITEMS = 5_000  # of a list, when it is walked as the suite does


class ReasoningGymEnv(BridgeEnv):
    """A dataset of the reasoning-gym suite, its scorer behind a guard.

    Description:
        Any of the 105 datasets by name. Some of that suite's scorers run Python found in the
        answer, some never return, and neighbouring seeds share nearly all items: see
        `docs/audits.md`. Guarded, an answer is scored in a process with limits of time and memory
        (what fails there scores 0), and questions are split between train and test by a hash.
        The guard is no sandbox: code in an answer still runs as the user. Do not train on the
        datasets that do so with models you do not trust.

    Arguments:
        dataset: Name of the dataset, for example `countdown`.
        config: Arguments of the dataset's configuration (JSON values).
        guarded: False runs the suite in this process and walks its list of items: `reset(seed=s)`
            gives item 0 of seed s, further resets the items after it. For audits only.

    Example:
        >>> env = ReasoningGymEnv("chain_sum")

    Source:
        "Reasoning Gym: Reasoning Environments for Reinforcement Learning with Verifiable Rewards"
        (2025, arXiv 2505.24760).
    """

    library = "reasoning_gym"
    extra = "reasoning-gym"
    module = __name__

    def __init__(
        self,
        dataset: str = "chain_sum",
        config: dict[str, Any] | None = None,
        split: Split = "train",
        guarded: bool = True,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(split, guarded, render_mode)
        self.dataset, self.config = dataset, dict(config or {})

    def _source(self) -> list[Any]:
        return [self.dataset, self.config]


def draw(dataset: str, config: dict[str, Any], seed: int, index: int) -> dict[str, str]:
    """An item's question and answer.

    Raises:
        MissingExtra: If reasoning-gym is not installed.
        UnknownName: If it has no such dataset.
    """
    item = _items(dataset, json.dumps(config, sort_keys=True), seed)[index]
    return {"question": str(item["question"]), "answer": str(item["answer"])}


def score(dataset: str, config: dict[str, Any], seed: int, index: int, answer: str) -> float:
    """Score an answer with the suite's scorer."""
    items = _items(dataset, json.dumps(config, sort_keys=True), seed)
    return float(items.score_answer(answer, items[index]))


@functools.lru_cache(maxsize=256)
def _items(dataset: str, config: str, seed: int) -> Any:
    suite = require("reasoning_gym", "reasoning-gym", "zerogym/ReasoningGym-v0")
    if dataset not in suite.factory.DATASETS:
        raise UnknownName("reasoning-gym dataset", dataset, sorted(suite.factory.DATASETS))
    return suite.create_dataset(dataset, seed=seed, size=ITEMS, **json.loads(config))
