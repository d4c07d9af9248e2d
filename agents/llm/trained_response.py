"""A language model that is trained against opponents: the learner of PSRO, and an adversary.

In a population of language models each is an answer to a mixture of those before it: naive
self-play, fictitious play or PSRO by the meta-solver (`agents/self_play/psro.py`). Trained against
one fixed player its payoff is a lower bound of what that player loses to a perfect adversary, as
the duels of "FightLadder: A Benchmark for Competitive Multi-Agent Reinforcement Learning" (2024,
arXiv 2406.02081) measure it. Where a table or a network learns the game as well, `zerogym exploit`
needs less time. Left out: one model for both seats, and starting from the answer before.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.training.grpo import Result, train
from zerogym.agents.self_play.opponents.players import LanguageModel, Named
from zerogym.agents.self_play.opponents.table import Opponent
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.registry import single_seat_id


class TrainedResponse:
    """A learner of `SelfPlay`, whose policies are language models.

    Its opponents are parts (`agents/self_play/opponents`) or names of `make_opponent`: a model is
    `LanguageModel(model="runs/mine")`, a server `LanguageModel(model="http://localhost:8000/v1#M")`.
    A run that is there already is continued.

    Args:
        config: The settings of each run, whose game, seat, opponent and folder are replaced.
            Arguments of the rules stand in `env_kwargs`.

    Attributes:
        results: The outcome of each run. `after.reward` is its mean payoff against the opponents,
            in games of the evaluation.

    Example (each run takes minutes):
        config = GRPOConfig(model="tiny", out="runs/psro", steps=50, max_new_tokens=12)
        population = SelfPlay(
            KuhnPoker(), TrainedResponse(config), start=Named("random"), evaluate=PlayedPayoff(200)
        )
        population.step()
    """

    def __init__(self, config: GRPOConfig) -> None:
        self.config = config
        self.results: list[Result] = []

    def learn(self, game: Game[Any], seat: int, opponents: Mixture) -> LanguageModel:
        """Train a model in a seat, and return it as an opponent.

        Args:
            game: The rules.
            seat: Its seat.
            opponents: For each episode one is drawn, and plays all other seats.

        Raises:
            TypeError: If one of them is no part and no name, so that no run could name it.
        """
        members = {
            str(number): _record(member) | {"weight": weight}
            for number, (member, weight) in enumerate(
                zip(opponents.members, opponents.weights, strict=True)
            )
        }
        met = {"opponent": {"part": "mixture", "members": members}, "seat": seat}
        out = Path(self.config.out) / f"{len(self.results):03d}-seat-{seat}"
        run = replace(
            self.config,
            env=single_seat_id(game.name),
            env_kwargs={**self.config.env_kwargs, **met},
            opponent=None,
            out=str(out),
        )
        self.results.append(train(run, resume=True))
        return LanguageModel(model=str(out))


def _record(member: Any) -> dict[str, Any]:
    if isinstance(member, str):
        member = Named(member)
    if not isinstance(member, Opponent):
        raise TypeError(
            f"{type(member).__name__} is no opponent that a run can name: give a part, such as "
            "LanguageModel(model=FOLDER), or a name"
        )
    return member.record()
