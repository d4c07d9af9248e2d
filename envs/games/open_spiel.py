"""Every game of OpenSpiel by its name, in all views.

Left out: mean-field games, games that draw chance inside, and those without observations; an error
says so. See `open_spiel_rules.py` for what is as OpenSpiel has it, and what is not.
"""

from dataclasses import dataclass
from typing import ClassVar

from zerogym.envs.games.aec import GameAEC
from zerogym.envs.games.open_spiel_rules import SpielRules
from zerogym.envs.games.open_spiel_state import load_spiel
from zerogym.envs.games.seat import SingleSeatEnv
from zerogym.envs.games.views import View


@dataclass(frozen=True)
class OpenSpiel(SpielRules):
    """Any game of OpenSpiel; `OpenSpielEnv` has it in words.

    Example:
        >>> OpenSpiel("backgammon").num_actions
        1352
    """

    game: str = "kuhn_poker"

    name: ClassVar[str] = "open_spiel"

    def __post_init__(self) -> None:
        load_spiel(self.game)  # or it says why not


class OpenSpielAEC(GameAEC):
    """All seats of a game of OpenSpiel, in turn; everything else is as in `GameAEC`.

    Args:
        game: OpenSpiel's name, with parameters in brackets.
        view: `numeric` or `text`.
        max_retries: Replies without a legal move that are asked again, for each move.
        render_mode: None or `ansi`.
    """

    def __init__(
        self,
        game: str = "kuhn_poker",
        view: View = "numeric",
        max_retries: int = 2,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(OpenSpiel(game), view, max_retries, render_mode)


class OpenSpielEnv(SingleSeatEnv):
    """One seat of any game of OpenSpiel by its name, against given opponents.

    Description:
        About a hundred games of the OpenSpiel library: checkers, backgammon, go, hanabi, bridge,
        gin rummy, dark hex and so on. Rules, moves and payoffs are the library's. Simultaneous
        moves are taken in turn, unseen by those who move later. Games that cannot be played here
        (mean fields, chance drawn inside, no observations) are refused with the reason.
        `pip install 'zerogym[games]'` brings the library.

    Observation:
        `view="text"`: the name of the game (once; the library has no rules in words), then its
        own text of the position and the moves. What is longer than a message is cut in the middle.
        `view="numeric"`: the library's tensor in one row, float32 in [0, 1]; where its numbers go
        beyond, all are scaled by one increasing function.

    Action:
        `view="text"`: the whole reply; the move, as the library writes it, is read from
        `<answer>...</answer>`, else from the last line. `view="numeric"`: the library's number.

    Reward:
        0 until the end, then the sum of the seat's rewards. `info["score"]` is the same as a
        number in [0, 1], between the library's bounds.

    Episode end:
        By the rules. A reply that names no legal move is asked again up to `max_retries` times,
        then the seat gets the lowest payoff of the game, as it does at once by an illegal number.

    Arguments:
        game: OpenSpiel's name, with parameters in brackets: `go(board_size=9)`. By default
            `kuhn_poker`.
        opponent: A name (`random` by default; the error for a wrong name lists them), or a policy.
        seat: 0 to the number of seats - 1, or `random` (default).
        view: `text` (default) or `numeric`.
        max_retries: Replies without a legal move that are asked again, for each move; default 2.
        opponent_view: The view that a policy as opponent gets; default: the same as `view`.
        render_mode: None or `ansi`.
        `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = OpenSpielEnv(game="tic_tac_toe", seat=1)
        >>> print(env.reset(seed=0)[0].partition("writes them.")[2])
        <BLANKLINE>
        ...
        ..x
        ...
        Your moves: o(0,0), o(0,1), o(0,2), o(1,0), o(1,1), o(2,0), o(2,1), o(2,2)
        Reply <answer>move</answer>, exactly so written.

    Source:
        Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019, arXiv
        1908.09453).
    """

    rules_class = OpenSpiel
    library = "pyspiel"
