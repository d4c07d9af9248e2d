"""`bench talk` as data: every registered game of talk, and the players who meet in it.

Games are read from the registry, so that a new one is in the table with its registration. All are
played with messages in templates, which every player can read and write. Left out: free messages,
for which only language models have more to say, and tables of three different players.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from zerogym.envs.registry import GAMES
from zerogym.errors import UnknownName

MODEL = "tiny"


@dataclass(frozen=True)
class TalkPlayer:
    """One player.

    Attributes:
        name: Unique in the suite.
        about: One line for the report.
        model: Its path, hub id or address; empty for players that are no language models.
    """

    name: str
    about: str
    model: str = ""


@dataclass(frozen=True)
class TalkSuite:
    """Games, players, and the number of episodes.

    Attributes:
        games: Registered names.
        players: Who meets: each with itself, and each in every seat with every other in the rest.
        episodes: Of each cell: a game, a player, its seat, and the player in the other seats.
        model_episodes: The same where a language model plays.
    """

    games: tuple[str, ...]
    players: tuple[TalkPlayer, ...]
    episodes: int = 100
    model_episodes: int = 20
    name: str = "talk"


def talk_games() -> tuple[str, ...]:
    """Return the names of the games of talk, in the order of the registry."""
    return tuple(game.name for game in GAMES if game.target.startswith("talk."))


PLAYERS = (
    TalkPlayer("random", "Legal moves, equally likely."),
    TalkPlayer("weak", "Each move with equal chances that of the scripted player or a random one."),
    TalkPlayer(
        "scripted", "A rule of thumb, written by hand for each game; its page says how good."
    ),
    TalkPlayer(
        MODEL,
        "A language model of a million parameters, greedy, that ships with the package and has "
        "seen none of these games. After three replies without a legal move it forfeits, and then "
        "all seats get the worst payoff, unless sums are zero.",
        MODEL,
    ),
)


def talk_suite(
    only: Sequence[str] = (), models: Sequence[str] = (), episodes: int | None = None
) -> TalkSuite:
    """Return the suite, or a part of it.

    Args:
        only: Games and players; where none of a kind is named, all of that kind.
        models: Language models that join: folders, hub ids, addresses of servers.
        episodes: Of each cell, also of language models; None for the suite's own numbers.

    Raises:
        UnknownName: For a name that is neither a game nor a player.

    Example:
        >>> suite = talk_suite(["ultimatum", "random"])
        >>> suite.games, [player.name for player in suite.players]
        (('ultimatum',), ['random'])
    """
    joined = [TalkPlayer(name, f"The language model {name}, greedy.", name) for name in models]
    suite = TalkSuite(talk_games(), (*PLAYERS, *joined))
    names = [player.name for player in suite.players]
    for name in only:
        if name not in (*suite.games, *names):
            raise UnknownName("game or player of this table", name, [*suite.games, *names])
    games = tuple(game for game in suite.games if game in only) or suite.games
    players = tuple(player for player in suite.players if player.name in only)
    suite = replace(suite, games=games, players=players or suite.players)
    if episodes is not None:
        suite = replace(suite, episodes=episodes, model_episodes=episodes)
    return suite
