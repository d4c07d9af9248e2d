"""The players of `bench games` as entrants of a league; the learner learns when first needed.

The language model is greedy, and a reply that it has given once is kept: equal conversations get
equal replies, so that thousands of games cost some hundred replies. Left out: several models.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from zerogym.agents.baselines.saved_ppo import ppo_opponent, save_ppo
from zerogym.benchmarks.games.suite import MODEL, Seat, SuiteGame, entrant_name
from zerogym.benchmarks.league.match import Entrant
from zerogym.benchmarks.league.players import REPLY_TOKENS, named, train_ppo
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Curve
from zerogym.envs.games.core.game import Game
from zerogym.errors import require

Keep = Callable[[Record], object]
Report = Callable[[str], object]


class CachedReplies:
    """An engine of greedy replies that generates each only once.

    Attributes:
        tokenizer: As in `Generator`, like the two below.
        context_length: Most tokens of prompt and reply together.
        weight_version: Of the weights.

    Args:
        generator: The engine.
    """

    def __init__(self, generator: Any) -> None:
        self._generator = generator
        self._known: dict[Any, Any] = {}
        self.tokenizer = generator.tokenizer
        self.context_length: int = generator.context_length
        self.weight_version: int = generator.weight_version

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Any) -> list[Any]:
        """One completion for each prompt.

        Raises:
            ValueError: If replies are to be drawn.
        """
        if sampling.temperature > 0:
            raise ValueError("only greedy replies can be kept")
        form = (sampling.max_new_tokens, sampling.stop)
        for prompt in map(tuple, prompts):
            if (prompt, form) not in self._known:
                # Alone, so that the rounding of a batch does not depend on who else is in it.
                self._known[prompt, form] = self._generator.generate([prompt], sampling)[0]
        return [self._known[tuple(prompt), form] for prompt in prompts]

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Take over other weights, and drop all replies."""
        self._generator.update_weights(weights, version)
        self.weight_version = version
        self._known.clear()


def greedy(generator: Any, name: str) -> Entrant:
    """A language model that always gives its most likely reply."""
    from zerogym.agents.llm.generation.protocol import Sampling
    from zerogym.agents.llm.policy import LLMPolicy

    engine = CachedReplies(generator)
    sampling = Sampling(REPLY_TOKENS, temperature=0.0, stop=("</answer>",))
    return Entrant(name, lambda _: LLMPolicy(engine, sampling))


@cache
def _model(name: str) -> Any:
    from zerogym.agents.llm.generation.engines import load_generator

    return load_generator(name)


def make_entrant(
    game: Game[Any],
    entry: SuiteGame,
    seat: Seat,
    seed: int,
    folder: Path,
    keep: Keep,
    report: Report,
) -> Entrant:
    """A player of the table as an entrant.

    Args:
        game: The rules.
        entry: Of the suite.
        seat: Of the suite.
        seed: Of training.
        folder: Where what was trained is kept, and found again.
        keep: Called with the line of a learning curve.
        say: Called when something long begins.

    Raises:
        MissingExtra: If the player needs what is not installed.
    """
    name = entrant_name(entry, seat)
    if seat.name == MODEL:
        return greedy(_model(MODEL), name)
    if seat.name != "ppo":
        return named(game, [name])[0]
    require("sb3_contrib", "sb3", "the MaskablePPO baseline")
    file = folder / f"{entry.game}-{entry.steps}.npz"

    @cache
    def trained() -> Any:
        if file.exists():
            return ppo_opponent(game, str(file))
        report(f"PPO: {entry.steps:,} steps in {entry.title}")
        points: list[tuple[float, float]] = []
        player = train_ppo(game, entry.steps, seed, lambda *point: points.append(point))
        curve = Curve(f"PPO, {entry.title}", "moves", "mean payoff of 100 games", tuple(points))
        keep({"kind": "curve", **asdict(curve)})
        save_ppo(player, file)
        return player

    return Entrant(name, lambda _: trained())
