"""Players of the spy game, and what a voter should believe of them by Bayes' rule.

`honest` players say something right of their scene, a spy among them repeats an earlier clue of
another one if there is any; `vague` ones say nothing about it; `random` ones say anything. All of
them lapse now and then and say anything, so that no clue is impossible. Voters believe what the
clues say about the spy if all talk as they expect, and take the vote of most expected reward.
Left out: words of a seat's own that name no single statement, which have no probability.
"""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from zerogym.envs.games.core.parameters import check_choice
from zerogym.envs.games.core.players import StrategyPlayer
from zerogym.envs.games.talk.hidden_roles.spy_scene import Scene, others_of

if TYPE_CHECKING:
    from zerogym.envs.games.talk.core.rules import TalkState
    from zerogym.envs.games.talk.hidden_roles.spy import Spy

TALKS = ("honest", "vague", "random")
LAPSE = 0.02  # share of clues that are drawn from all that can be said

Clues = list[tuple[int, int]]  # of who said what, in their order


def clue_chance(
    game: "Spy", talk: str, clue: int, scene: Scene | None, spy: bool, others: Sequence[int]
) -> float:
    """Return the probability of a clue.

    Args:
        game: The rules.
        talk: A way of talking, of `TALKS`.
        clue: The number of the act.
        scene: The scene of who speaks; None for a spy that sees nothing.
        spy: Whether the spy speaks.
        others: The clues of the others before.
    """
    if talk == "vague":
        share = float(clue == game.num_clues - 1)
    elif talk == "honest" and spy and others:
        share = others.count(clue) / len(others)
    elif talk == "honest" and scene is not None:
        right = clue < game.num_clues - 1 and game.kinds.holds(clue, scene)
        share = right / (game.places * game.kinds.sides)
    else:
        share = 1 / game.num_clues
    return (1 - LAPSE) * share + LAPSE / game.num_clues


def spy_belief(
    game: "Spy", state: "TalkState", seat: int, talk: str = "honest"
) -> tuple[float, ...]:
    """Return how likely each seat is the spy, given all clues so far and the scene of a seat.

    Exact if all others talk in this way. The spy itself knows that it is the one.
    """
    spy, scene, clues = game.spy(state), game.scene(state, seat), game.clues(state)
    if seat == spy or scene is None:
        return tuple(float(each == spy) for each in range(game.num_seats))
    likely = [0.0] * game.num_seats
    for each in range(game.num_seats):
        if each == seat:
            continue
        plain = [other for other in range(game.num_seats) if other not in (each, seat)]
        right = prod(_chance(game, talk, scene, False, clues, other) for other in plain)
        hidden: Sequence[Scene | None] = (None,)  # its scene counts in the first clue alone
        if game.changes and clues and clues[0][0] == each:
            hidden = others_of(scene, game.kinds.things, game.changes)
        spoken = [_chance(game, talk, one, True, clues, each) for one in hidden]
        likely[each] = right * sum(spoken) / len(spoken)
    return tuple(each / sum(likely) for each in likely)


def _chance(
    game: "Spy", talk: str, scene: Scene | None, spy: bool, clues: Clues, seat: int
) -> float:
    """Return the probability of all clues of a seat, given those of the others."""
    chance = 1.0
    for number, (speaker, clue) in enumerate(clues):
        if speaker == seat:
            before = [said for other, said in clues[:number] if other != seat] if spy else []
            chance *= clue_chance(game, talk, clue, scene, spy, before)
    return chance


def scripted(
    game: "Spy", state: "TalkState", seat: int, talk: str = "honest", expects: str = "honest"
) -> Sequence[float]:
    """Say something right of the own scene, as a spy repeat a clue; vote as Bayes' rule says.

    With itself in all seats of the default game, 91 % of its votes are for the spy, where 25 % of
    random votes are; with 1 and 3 rounds of clues 83 % and 94 %.
    """
    acts = game.legal(state)
    if acts[0] < game.num_clues:
        others = [clue for speaker, clue in game.clues(state) if speaker != seat]
        scene, is_spy = game.scene(state, seat), seat == game.spy(state)
        return [clue_chance(game, talk, clue, scene, is_spy, others) for clue in acts]
    belief = spy_belief(game, state, seat, expects)
    votes = [game.target(act) for act in acts]
    gains = [
        sum(p * game.votes_bring.gain(seat, seat, vote, spy) for spy, p in enumerate(belief))
        for vote in votes
    ]
    best = [gain >= max(gains) - 1e-12 for gain in gains]
    return [good / sum(best) for good in best]


class SpyPlayer(StrategyPlayer):
    """A strategy, and an opponent, of a way of talking and what it expects of the others.

    An `honest` one is as strong as `scripted`. Where all talk in a `vague` or a `random` way, clues
    say nothing about the spy, and a third of the votes are for it, as of random votes that never
    abstain.

    Args:
        game: The rules.
        talk: `honest` (default), `vague` or `random`.
        expects: How it takes the others to talk; by default as itself.

    Raises:
        ValueError: If there is no such way.
    """

    def __init__(self, game: Any, talk: str = "honest", expects: str | None = None) -> None:
        check_choice("talk", talk, TALKS)
        check_choice("expects", expects or talk, TALKS)
        self.game, self.talk, self.expects = game, talk, expects or talk

    def probabilities(self, state: Any) -> tuple[float, ...]:
        """Return the probabilities of the legal actions, for the seat to move."""
        game: Any = self.game
        return tuple(scripted(game, state, game.to_move(state), self.talk, self.expects))
