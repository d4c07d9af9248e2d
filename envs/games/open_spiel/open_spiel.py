"""Every game of OpenSpiel by its name, in all views.

Left out: mean-field games and games that draw chance inside; an error says so. See
`rules.py` for what is as OpenSpiel has it, and what is not.
"""

from dataclasses import dataclass
from typing import ClassVar

from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.open_spiel.rules import SpielRules
from zerogym.envs.games.open_spiel.state import load_spiel
from zerogym.envs.games.views.aec import GameAEC
from zerogym.envs.games.views.parallel import GameParallel
from zerogym.envs.games.views.single_seat import SingleSeatEnv


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
        max_retries: Further replies after one without a legal move, for each move.
        render_mode: None, `ansi` or `rgb_array`.
    """

    def __init__(
        self,
        game: str = "kuhn_poker",
        view: View = "numeric",
        max_retries: int = 2,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(OpenSpiel(game), view, max_retries, render_mode)


class OpenSpielParallel(GameParallel):
    """All seats of a game of OpenSpiel whose moves are simultaneous; else as in `GameParallel`.

    Args:
        game: OpenSpiel's name, with parameters in brackets.
        view: `numeric` or `text`.
        max_retries: Further replies after one without a legal move, in each round.
        render_mode: None, `ansi` or `rgb_array`.

    Example:
        >>> env = OpenSpielParallel("matrix_pd")
        >>> _ = env.reset(seed=0)
        >>> env.step({"player_0": 0, "player_1": 1})[1]
        {'player_0': 0.0, 'player_1': 10.0}
    """

    def __init__(
        self,
        game: str = "goofspiel",
        view: View = "numeric",
        max_retries: int = 2,
        render_mode: str | None = None,
    ) -> None:
        rules = OpenSpiel(game)
        if not rules.simultaneous:
            raise ValueError(f"OpenSpiel's {game!r:.200} has moves in turn, see OpenSpielAEC")
        super().__init__(rules, view, max_retries, render_mode)


class OpenSpielEnv(SingleSeatEnv):
    """One seat of any game of OpenSpiel by its name, against given opponents.

    Description:
        The games of the OpenSpiel library: checkers, backgammon, go, hanabi, bridge, gin rummy,
        dark hex and so on. Rules, moves and payoffs are the library's. Simultaneous moves are taken
        in turn, unseen by those who move later; `OpenSpielParallel` plays such games at once.
        `pip install 'zerogym[games]'` brings the library; of release 1.6, 104 of its 126 names
        play by their default parameters. Refused with the reason are

        - mean-field games (`mfg_crowd_modelling`, `mfg_crowd_modelling_2d`, `mfg_dynamic_routing`,
          `mfg_garnet`), which have no seats that move;
        - games that draw chance inside (`bridge_uncontested_bidding`, `negotiation`,
          `stones_and_gems`, `tarok`), whose states cannot be restored;
        - `crossword`, whose actions are no numbers; `morpion_solitaire`, which ends the process.

        Games that are made of others need parameters: `misere(game=tic_tac_toe())`,
        `repeated_game(stage_game=matrix_rps(),num_repetitions=3)`. A name with parameters is first
        tried in a process of its own, because OpenSpiel does not survive all of them.
        Every game ends by itself, for the library bounds its length, at up to 70,000 moves; give
        `gym.make` a `max_episode_steps` for less.

    Observation:
        `view="text"`: once the name and the parameters, the rules in a few words (for about forty
        games; else it says that there are none), seats and payoffs; then the library's own text of
        the position and of the observed history, and the moves. Up to 16,384 characters are
        shown whole, which all games but `kriegspiel` keep to by default; beyond, the oldest of what
        was observed goes first, and moves that do not fit are counted.
        `view="numeric"`: the library's tensor in one row, float32 in [0, 1]; where its numbers go
        beyond, all are scaled by one increasing function. There is none for `coin_game`,
        `coordinated_mp`, `cribbage`, `liars_dice_ir`, `phantom_ttt_ir` and `social_deduction`.

    Action:
        `view="text"`: the whole reply; the move, as the library writes it, is read from
        `<answer>...</answer>`, else from the last line. Case does not matter, and who moves
        (`[P0]`, `W `, `x`) may be left out. Moves that share their words bear their number: `#17`.
        `view="numeric"`: the library's number.

    Reward:
        0 until the end, then the sum of the seat's rewards. `info["score"]` is the same as a
        number in [0, 1], between the library's bounds.

    Episode end:
        By the rules. A reply that names no legal move may be repeated up to `max_retries` times,
        then the seat gets the lowest payoff of the game, as it does at once by an illegal number.

    Arguments:
        game: OpenSpiel's name, with parameters in brackets: `go(board_size=9)`. By default
            `kuhn_poker`. The library checks parameters, but not all: `connect_four(rows=0)` ends
            the process.
        opponent: A name (`random` by default; the error for a wrong name lists them), or a policy.
            `mcts` plays where nothing is hidden, where only the moves of the round are, in small
            games, and in seven others that OpenSpiel redraws (`determinization.py`).
        seat: 0 to the number of seats - 1, or `random` (default).
        view: `text` (default) or `numeric`.
        max_retries: Further replies after one without a legal move, for each move; default 2.
        opponent_view: The view that a policy as opponent gets; default: the same as `view`.
        render_mode: None, `ansi` or `rgb_array`.
        `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = OpenSpielEnv(game="tic_tac_toe", seat=1)
        >>> print(env.reset(seed=0)[0])
        Tic Tac Toe (in OpenSpiel: tic_tac_toe).
        Three of your marks in a row, a column or a diagonal win. x(0,2) is a mark of x in row 0,
        column 2, counted from 0. Seat 0 is x and moves first.
        There are 2 seats, counted from 0; you have seat 1.
        Only payoffs at the end count: from -1 to 1; they sum to 0.
        Reply with one move, written as in the list of your moves.
        ...
        ..x
        ...
        Your moves: o(0,0) | o(0,1) | o(0,2) | o(1,0) | o(1,1) | o(2,0) | o(2,1) | o(2,2)
        Reply <answer>move</answer>, exactly so written.

    Source:
        Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019, arXiv
        1908.09453).
    """

    rules_class = OpenSpiel
    library = "pyspiel"
