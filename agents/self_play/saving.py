"""The policies of self-play as a folder of past selves: `opponent="past:FOLDER"`.

Left out: policies without probabilities.
"""

from pathlib import Path

from zerogym.agents.self_play.psro import SelfPlay
from zerogym.agents.self_play.sequence_form import mixed
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.past_selves import save_strategy


def save_selves(self_play: SelfPlay, folder: str | Path) -> list[Path]:
    """Write one file for each step: the policies that both seats had learned in it.

    Example:
        >>> import tempfile
        >>> from zerogym.agents.self_play.exact_best_response import BestResponse
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
        >>> psro = SelfPlay(KuhnPoker(), BestResponse())
        >>> psro.step()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     names = [path.name for path in save_selves(psro, folder)]
        ...     env = KuhnPokerEnv(opponent=f"past:{folder}")
        >>> names, len(env.opponent.members)
        (['step-0000.json', 'step-0001.json'], 2)
    """
    written = []
    for step, policies in enumerate(zip(*self_play.members, strict=True)):
        table: dict[str, tuple[float, ...]] = {}
        for seat, policy in enumerate(policies):
            table |= mixed(self_play.game, seat, [policy], [1.0]).table
        strategy = TabularPolicy(self_play.game, table)
        written.append(save_strategy(strategy, Path(folder) / f"step-{step:04d}.json"))
    return written
