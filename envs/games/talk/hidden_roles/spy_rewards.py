"""Rewards of the spy game: what a vote brings to each seat, by either of the source's rewards.

"Vision-Zero: Scalable VLM Self-Improvement via Strategic Gamified Self-Play" (2025, arXiv
2509.25541) has two. That of clues, with v the votes for a seat and m the mean of those for all but
the spy: `-shared (v - m)` for the spy, `shared (v_spy - m) / others - single (v - m)` for another
seat, which sum to 0. That of votes: whether a vote is right. Both are sums over votes.
"""

from dataclasses import dataclass
from math import fsum

REWARDS = ("clues", "votes")
RIGHT, ABSTAINED, WRONG = 1.0, -0.5, -1.0  # of a vote, as in the public code


@dataclass(frozen=True)
class VoteRewards:
    """The reward of votes among so many players.

    Attributes:
        players: All of them, the spy included.
        kind: `clues` or `votes`.
        shared: Points that a vote moves between the spy and the others (beta).
        single: Points that it moves from its target to all that are not the spy (lambda).
    """

    players: int
    kind: str
    shared: float
    single: float

    def gain(self, seat: int, voter: int, vote: int | None, spy: int) -> float:
        """Return what a vote brings to a seat; the vote of the spy brings nothing.

        Example:
            >>> VoteRewards(4, "clues", 0.1, 0.1).gain(seat=3, voter=0, vote=3, spy=3)
            -0.1
        """
        others = self.players - 1
        if self.kind == "votes":
            if voter != seat or seat == spy:
                return 0.0
            return ABSTAINED if vote is None else RIGHT if vote == spy else WRONG
        if vote is None or voter == spy:
            return 0.0
        if seat == spy:
            return -self.shared if vote == spy else self.shared / others
        if vote == spy:
            return self.shared / others
        return -self.shared / others**2 - self.single * ((vote == seat) - 1 / others)

    def extremes(self) -> tuple[float, float]:
        """Return the least and the most that all votes together can bring to a seat."""
        if self.kind == "votes":
            return WRONG, RIGHT
        low, high = 0.0, 0.0
        for seat, spy in ((0, 0), (1, 0)):  # the spy, and another one
            gains = [
                [self.gain(seat, voter, vote, spy) for vote in range(self.players) if vote != voter]
                for voter in range(1, self.players)
            ]
            low = min(low, fsum(min(0.0, *own) for own in gains))
            high = max(high, fsum(max(0.0, *own) for own in gains))
        return low, max(high, -low / (self.players - 1))  # a forfeit, which rounds otherwise

    def text(self) -> str:
        """Return the rewards in words."""
        if self.kind == "votes":
            return (
                f"A vote for the spy is worth {RIGHT:g} point to the voter, another one "
                f"{WRONG:g}, and none {ABSTAINED:g}; the spy has no points."
            )
        return (
            f"A vote for the spy moves {self.shared:.3g} points from the spy to the others, "
            f"another one {self.shared / (self.players - 1):.3g} from them to the spy and "
            f"{self.single:.3g} from its target to all but the spy."
        )
