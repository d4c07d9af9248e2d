"""`bench games` as data: five games with an exact player, and who plays them.

Two games of perfect information (one that everybody knows, one with a short rule that is hard to
find), and three of hidden cards or dice, the smallest of which a person can solve. All are of two
seats and zero-sum, and small enough that perfect play is computed in seconds. Left out: games of
more seats, and games whose perfect play is not known here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from zerogym.errors import UnknownName

FLOOR, CEILING = "random", "exact"  # 0 and 1 of the scale
SIMULATIONS = 100  # of the tree search, a move
MODEL = "tiny"


@dataclass(frozen=True)
class SuiteGame:
    """One game.

    Attributes:
        game: Its registered name.
        title: In tables.
        exact: The opponent that plays it perfectly: `minimax` or `cfr`.
        steps: Moves that the learner trains for.
        about: One line for the report.
    """

    game: str
    title: str
    exact: str
    steps: int
    about: str


@dataclass(frozen=True)
class Seat:
    """One player.

    Attributes:
        name: Unique in the suite.
        title: In tables.
        about: One line for the report.
    """

    name: str
    title: str
    about: str


@dataclass(frozen=True)
class GamesSuite:
    """Games, players, and how many pairs of games each match has."""

    entries: tuple[SuiteGame, ...]
    seats: tuple[Seat, ...]
    pairs: int = 300
    name: str = "games"


def entrant_name(entry: SuiteGame, seat: Seat) -> str:
    """The name of a player in the league of a game."""
    special = {"mcts": f"mcts:{SIMULATIONS}", "ppo": f"ppo:{entry.steps}", CEILING: entry.exact}
    return special.get(seat.name, seat.name)


def part_of(suite: GamesSuite, names: Sequence[str]) -> GamesSuite:
    """The part of a suite with these games and players; both ends of the scale stay.

    Raises:
        UnknownName: For a name that is neither a game nor a player of the suite.

    Example:
        >>> found = part_of(GAMES, ["Kuhn poker", "ppo"])
        >>> [entry.game for entry in found.entries], [seat.name for seat in found.seats]
        (['kuhn_poker'], ['random', 'ppo', 'exact'])
    """
    known = {
        _plain(word): entry.game for entry in suite.entries for word in (entry.game, entry.title)
    }
    known |= {_plain(word): seat.name for seat in suite.seats for word in (seat.name, seat.title)}
    for name in names:
        if _plain(name) not in known:
            kind = "game or player of this table"
            raise UnknownName(kind, name, list(dict.fromkeys(known.values())))
    chosen = {known[_plain(name)] for name in names}
    entries = tuple(entry for entry in suite.entries if entry.game in chosen)
    seats = tuple(seat for seat in suite.seats if seat.name in chosen)
    ends = (FLOOR, CEILING)
    kept = tuple(s for s in suite.seats if not seats or s in seats or s.name in ends)
    return replace(suite, entries=entries or suite.entries, seats=kept)


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


GAMES = GamesSuite(
    (
        SuiteGame(
            "tic_tac_toe",
            "Tic-tac-toe",
            "minimax",
            65_536,
            "Nothing is hidden, and perfect play is a draw.",
        ),
        SuiteGame(
            "nim",
            "Nim",
            "minimax",
            131_072,
            "Heaps of 1, 3, 5 and 7; who takes the last object wins. The second seat can always "
            "win, if it knows how.",
        ),
        SuiteGame(
            "kuhn_poker",
            "Kuhn poker",
            "cfr",
            32_768,
            "Three cards, one bet. Perfect play bluffs, and loses 1/18 in the first seat.",
        ),
        SuiteGame(
            "leduc_poker",
            "Leduc poker",
            "cfr",
            65_536,
            "Six cards, two rounds with raises, up to 13 chips to win or lose.",
        ),
        SuiteGame(
            "liars_dice",
            "Liar's dice",
            "cfr",
            65_536,
            "One hidden die each; bids go up until somebody is called a liar.",
        ),
    ),
    (
        Seat(FLOOR, "random", "Legal moves, equally likely: the zero of the scale."),
        Seat(
            MODEL,
            "tiny LM",
            "A language model of a million parameters, greedy, that ships with the package. It has "
            "seen tic-tac-toe and Kuhn poker in training, and none of the other games. After three "
            "replies without a legal move it forfeits, which is the worst payoff of the game.",
        ),
        Seat("scripted", "scripted", "A rule of thumb, written by hand for each game."),
        Seat(
            "mcts",
            "MCTS",
            f"Tree search with {SIMULATIONS} random continuations a move; over information sets "
            "where something is hidden.",
        ),
        Seat(
            "ppo",
            "PPO",
            "MaskablePPO of sb3-contrib in the numeric view, trained in each game against random "
            "and scripted play, in both seats.",
        ),
        Seat(
            CEILING,
            "exact",
            "Minimax, or the equilibrium of CFR+ where something is hidden: nobody can win from "
            "it on average. It does not exploit anybody either. The one of the scale.",
        ),
    ),
)
