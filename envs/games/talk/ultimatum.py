"""The ultimatum game with a demand before it: what threats are worth.

Left out: offers of parts of a coin, a second proposal, and responders who are drawn to be spiteful.
"""

from dataclasses import dataclass
from typing import ClassVar

from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState

PROPOSER, RESPONDER = 0, 1
ACCEPT, REJECT = 0, 1


@dataclass(frozen=True)
class Ultimatum(TalkGame):
    """The rules; `UltimatumEnv` has them in words.

    Acts: 0 accept, 1 reject, then the offers 0 to `coins`, then the demands 0 to `coins`.

    Attributes:
        coins: To be divided, 1 to 30.
    """

    coins: int = 10
    name: ClassVar[str] = "ultimatum"
    max_turns: ClassVar[int] = 3
    small: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse other numbers of coins."""
        super().__post_init__()
        check_number("coins", self.coins, 1, 30)

    @property
    def num_actions(self) -> int:
        """Two answers, and as many offers and demands as there are divisions."""
        return 2 + 2 * (self.coins + 1)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Nothing, or all coins."""
        return 0.0, float(self.coins)

    def role(self, seat: int) -> str:
        """`proposer` or `responder`."""
        return ("proposer", "responder")[seat]

    def phase(self, state: TalkState) -> Phase:
        """Demand, offer, answer."""
        offers = 2 + self.coins + 1
        if not state.turns:
            return Phase(RESPONDER, tuple(range(offers, self.num_actions)), words="alone")
        if len(state.turns) == 1:
            return Phase(PROPOSER, tuple(range(2, offers)))
        return Phase(RESPONDER, (ACCEPT, REJECT)) if len(state.turns) == 2 else OVER

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """The division that is accepted."""
        offered = self.offered(state)
        if offered is None or len(state.turns) < 3 or state.turns[2].act == REJECT:
            return 0.0, 0.0
        return float(self.coins - offered), float(offered)

    def demanded(self, state: TalkState) -> int | None:
        """Return the number of coins that the responder demands; None if it named none."""
        act = state.turns[0].act if state.turns else None
        return None if act is None else act - 2 - (self.coins + 1)

    def offered(self, state: TalkState) -> int | None:
        """Return the number of coins that the proposer offers; None before it does."""
        act = state.turns[1].act if len(state.turns) > 1 else None
        return None if act is None else act - 2

    def agreements(self, state: TalkState) -> tuple[tuple[float, ...], ...]:
        """The payoffs of all offers."""
        return tuple((float(self.coins - n), float(n)) for n in range(self.coins + 1))

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        return (
            f"Ultimatum: {self.coins} coins are divided between a proposer and a responder. "
            f"You are the {self.role(seat)}.\n"
            "First the responder says how many it demands, which binds nobody. Then the proposer "
            "offers it some.\n"
            "Accepted, the offer is the responder's and the rest the proposer's. Rejected, "
            "both get nothing."
        )

    def choices(self, state: TalkState) -> str:
        """The act of the phase with its range."""
        if len(state.turns) == 2:
            return super().choices(state)
        act = "offer" if state.turns else "demand"
        return f"<answer>{act} N</answer> with N from 0 to {self.coins}"

    def result(self, state: TalkState, seat: int) -> str:
        """Return the coins of both."""
        own, other = self.returns(state)[seat], self.returns(state)[1 - seat]
        return f"You get {own:g} of {self.coins} coins, the other gets {other:g}."

    def action_name(self, state: TalkState, action: int) -> str:
        """`accept`, `reject`, `offer 3` or `demand 3`."""
        if action < 2:
            return ("accept", "reject")[action]
        kind, number = divmod(action - 2, self.coins + 1)
        return f"{('offer', 'demand')[kind]} {number}"


def scripted(game: Ultimatum, state: TalkState, seat: int) -> int:
    """Demand half, offer what is demanded up to half, and accept no less than the lesser of both.

    Two of them divide evenly, and neither gains by anything else. Against random play the proposer
    gets 3.18 and the responder 4.09 of 10 coins, random play itself 2.5.
    """
    half, demanded = game.coins // 2, game.demanded(state)
    fair = half if demanded is None else min(half, demanded)
    if len(state.turns) == 2:
        offered = game.offered(state)
        return ACCEPT if offered is not None and offered >= fair else REJECT
    return 2 + fair if state.turns else 2 + game.coins + 1 + half


class UltimatumEnv(TalkEnv):
    """One seat of the ultimatum game with a demand, against a given opponent.

    Description:
        The responder says how many of the coins it demands, the proposer offers some, and the
        responder accepts, or both get nothing. By backward induction any offer is accepted, none
        included, and demands are cheap talk: the proposer keeps all. An even division by a credible
        threat is an equilibrium, too, and is what people do.

    Reward:
        0 until the end, then the coins that the seat gets.

    Arguments:
        coins: To be divided, 1 to 30; default 10.
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: words of
            the seats' own, in the text view.

    Example:
        >>> env = UltimatumEnv(seat=0, opponent="scripted", messages="free")
        >>> print(env.reset(seed=0)[0])
        Ultimatum: 10 coins are divided between a proposer and a responder. You are the proposer.
        First the responder says how many it demands, which binds nobody. Then the proposer offers it some.
        Accepted, the offer is the responder's and the rest the proposer's. Rejected, both get nothing.
        [player 2: demand 5]
        Reply <answer>offer N</answer> with N from 0 to 10; words may stand before it: <answer>words [act]</answer>.
        >>> print(env.step("It may bluff. <answer>Four is all I have. [offer 4]</answer>")[0])
        [player 2: demand 5]
        [you: offer 4] Four is all I have.
        [player 2: reject]
        You get 0 of 10 coins, the other gets 0.

    Source:
        Güth, Schmittberger and Schwarze, "An Experimental Analysis of Ultimatum Bargaining" (1982).
    """  # noqa: E501 (the example shows a text)

    rules_class = Ultimatum
