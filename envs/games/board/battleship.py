"""Battleship on a small sea: hide your ships, find the other's.

Moves and payoffs are those of OpenSpiel's `battleship` without repeated shots, with ships of equal
value and a loss that counts as much as a win. Left out: the sea of 10 times 10 with five ships,
whose layouts cannot be listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.board.battleship_fleets import (
    SUNK,
    WATER,
    Places,
    Sea,
    explaining,
    fleet_cells,
    open_places,
    outcomes,
    ship_cells,
)
from zerogym.envs.games.board.battleship_text import (
    cell_name,
    sea_in_words,
    ships_in_words,
    shots_in_words,
)
from zerogym.envs.games.core.game import TERMINAL, Game, draw, result_text, uniform_over_best
from zerogym.envs.games.core.parameters import check_number, check_numbers
from zerogym.envs.games.views.single_seat import SingleSeatEnv

MAX_SIDE = 6
MAX_LAYOUTS = 40_000


class BattleshipState(NamedTuple):
    """For each seat its ships and its shots so far, and the seat to move or `TERMINAL`."""

    ships: tuple[Places, Places] = ((), ())
    shots: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    mover: int = 0


@dataclass(frozen=True)
class Battleship(Game[BattleshipState]):
    """The rules; `BattleshipEnv` has them in words.

    Actions are first the cells, row by row, to shoot at, then the cells at which a ship begins that
    lies across, then those of ships that lie down; in words `b2`, `b2 across`, `b2 down`. `observe`
    is a float32 vector: the seat, one-hot (2), then boards: one for each own ship, the own shots by
    their number / num_shots, which of them hit, which of these sank, and the opponent's shots.
    """

    board_width: int = 4
    board_height: int = 4
    ship_sizes: tuple[int, ...] = (3, 2)
    num_shots: int = 12

    name: ClassVar[str] = "battleship"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("board_width", self.board_width, 1, MAX_SIDE)
        check_number("board_height", self.board_height, 1, MAX_SIDE)
        cells = self.sea.cells
        check_numbers("ship_sizes", self.ship_sizes, 1, MAX_SIDE, cells)
        check_number("num_shots", self.num_shots, 1, cells)
        if (2 * cells) ** len(self.ship_sizes) > MAX_LAYOUTS or not open_places(self.sea, ()):
            raise ValueError(f"ship_sizes are too many or too large, got {self.ship_sizes}")

    @property
    def sea(self) -> Sea:
        """The shape of the sea and the ships."""
        return Sea(self.board_width, self.board_height, self.ship_sizes)

    @property
    def num_actions(self) -> int:
        """Shots, and places across and down."""
        return 3 * self.board_width * self.board_height

    @property
    def observation_size(self) -> int:
        """The seat and the boards."""
        return 2 + (len(self.ship_sizes) + 4) * self.board_width * self.board_height

    @property
    def payoff_range(self) -> tuple[float, float]:
        """All ships sunk and none lost, or the other way round."""
        return (-float(len(self.ship_sizes)), float(len(self.ship_sizes)))

    @property
    def enumerable(self) -> bool:
        """With four cells, shots have too many orders."""
        return self.sea.cells <= 3

    def initial(self) -> BattleshipState:
        """No ship is placed."""
        return BattleshipState()

    def to_move(self, state: BattleshipState) -> int:
        """In turn, first to place ships, then to shoot."""
        return state.mover

    def legal(self, state: BattleshipState) -> tuple[int, ...]:
        """Places for the next ship, or cells that the seat has not shot at."""
        ships, shots, mover = state
        if mover == TERMINAL:
            return ()
        if len(ships[mover]) < len(self.ship_sizes):
            return open_places(self.sea, ships[mover])
        fired = shots[mover]
        return tuple([cell for cell in range(self.sea.cells) if cell not in fired])

    def apply(self, state: BattleshipState, action: int) -> BattleshipState:
        """Place a ship, or shoot."""
        ships, shots, mover = state
        if len(ships[mover]) < len(self.ship_sizes):
            own = (*ships[mover], action)
            return BattleshipState((ships[0], own) if mover else (own, ships[1]), shots, 1 - mover)
        own = (*shots[mover], action)
        shots = (shots[0], own) if mover else (own, shots[1])
        afloat = fleet_cells(self.sea, ships[1 - mover]) & ~sum([1 << cell for cell in own])
        over = not afloat or (mover == 1 and len(own) == self.num_shots)
        return BattleshipState(ships, shots, TERMINAL if over else 1 - mover)

    def payoff(self, state: BattleshipState) -> tuple[float, float]:
        """Ships sunk less ships lost."""
        won = float(self._outcomes(state, 0).count(SUNK) - self._outcomes(state, 1).count(SUNK))
        return (won, 0.0 - won)  # not -won, which may be -0.0

    def observe(self, state: BattleshipState, seat: int) -> NDArray[np.float32]:
        """The seat, own ships, own shots with what they were, and the opponent's shots."""
        cells, fleet = self.sea.cells, len(self.ship_sizes)
        boards = np.zeros((fleet + 4, cells), dtype=np.float32)
        for index, place in enumerate(state.ships[seat]):
            bits = ship_cells(self.sea, self.ship_sizes[index], place)
            boards[index] = [bits >> cell & 1 for cell in range(cells)]
        own = zip(state.shots[seat], self._outcomes(state, seat), strict=True)
        for number, (cell, outcome) in enumerate(own, start=1):
            boards[fleet:-1, cell] = number / self.num_shots, outcome != WATER, outcome == SUNK
        for number, cell in enumerate(state.shots[1 - seat], start=1):
            boards[-1, cell] = number / self.num_shots
        return np.concatenate([np.eye(2, dtype=np.float32)[seat], boards.ravel()])

    def info_key(self, state: BattleshipState, seat: int) -> str:
        """Own ships, own shots and what they were, the opponent's shots."""
        observed = self._outcomes(state, seat)
        return f"{seat}:{state.ships[seat]}:{state.shots[seat]}:{observed}:{state.shots[1 - seat]}"

    def resample(
        self, state: BattleshipState, seat: int, rng: np.random.Generator
    ) -> BattleshipState:
        """A state that the seat cannot tell from this one, as likely as random placing makes it."""
        count, observed = len(state.ships[1 - seat]), self._outcomes(state, seat)
        found = list(explaining(self.sea, count, state.shots[seat], observed))
        places = found[draw([weight for _, weight in found], rng)][0]
        ships = (places, state.ships[1]) if seat else (state.ships[0], places)
        return state._replace(ships=ships)

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        sizes = " and ".join(map(str, self.ship_sizes))
        ships = f"ships of {sizes} cells" if len(self.ship_sizes) > 1 else f"a ship of {sizes}"
        corner = cell_name(self.sea, self.sea.cells - 1)
        shots = "1 shot" if self.num_shots == 1 else f"{self.num_shots} shots"
        order = "first" if seat == 0 else "second"
        return (
            f"Battleship on cells a1 to {corner}, a letter for the column, a number for the row.\n"
            f"Both hide {ships}, across or down (they may touch), and have {shots} each at the "
            "other's sea, in turn.\nA shot is water, hit, or sunk if it hits the last cell of a "
            "ship. The game ends when one has no ship left.\nYou get the ships that you sink "
            f"minus those that you lose. You are player {seat + 1} and move {order}."
        )

    def _placing(self, state: BattleshipState) -> bool:
        return len(state.ships[1]) < len(self.ship_sizes)

    def situation(self, state: BattleshipState, seat: int) -> str:
        """Own ships, all shots and the other's sea."""
        ships = ships_in_words(self.sea, state.ships[seat])
        text = f"You are player {seat + 1}. Your ships: {ships}."
        if not self._placing(state):
            own, other = (
                (self.sea, state.shots[who], self._outcomes(state, who)) for who in (seat, 1 - seat)
            )
            text += f"\nYour shots: {shots_in_words(*own)}."
            text += f"\nOpponent's shots: {shots_in_words(*other)}."
            text += f"\nOpponent's sea (~ water, X hit):\n{sea_in_words(*own)}"
        return text

    def request(self, state: BattleshipState) -> str:
        """For a ship's place, or a shot."""
        if not self._placing(state):
            return "Reply <answer>cell</answer>, one you have not shot at."
        size = self.ship_sizes[len(state.ships[self.to_move(state)])]
        if size == 1:
            return "Place your ship of 1: reply <answer>cell across</answer>."
        return (
            f"Place your ship of {size} by its top left cell and its direction: reply "
            "<answer>cell across</answer> or <answer>cell down</answer>."
        )

    def result(self, state: BattleshipState, seat: int) -> str:
        """The winner, and the payoff."""
        won = self.payoff(state)[seat]
        return f"{result_text(won)}: {won:+g}."

    def action_name(self, state: BattleshipState, action: int) -> str:
        """A cell such as `b2`; for a ship with `across` or `down`."""
        kind, cell = divmod(action, self.sea.cells)
        return cell_name(self.sea, cell) + ("", " across", " down")[kind]

    def _outcomes(self, state: BattleshipState, seat: int) -> tuple[int, ...]:
        """The outcome of each shot of a seat."""
        return outcomes(self.sea, state.ships[1 - seat], state.shots[seat])


def scripted(game: Battleship, state: BattleshipState, seat: int) -> Sequence[float]:
    """Hide anywhere; shoot where most layouts that explain all shots have a ship.

    Probabilities of the legal moves. Layouts count as often as random placing makes them. Of 10,000
    games against random play it wins 96.9%, seats in turn, with a mean payoff of 1.55 of 2.
    """
    legal = game.legal(state)
    if len(state.ships[seat]) < len(game.ship_sizes):
        return [1 / len(legal)] * len(legal)
    observed = outcomes(game.sea, state.ships[1 - seat], state.shots[seat])
    chances = dict.fromkeys(legal, 0.0)
    for places, weight in explaining(game.sea, len(game.ship_sizes), state.shots[seat], observed):
        cells = fleet_cells(game.sea, places)
        for cell in legal:
            chances[cell] += weight * (cells >> cell & 1)
    highest = max(chances.values())
    return uniform_over_best([chances[cell] >= highest - 1e-12 for cell in legal])


class BattleshipEnv(SingleSeatEnv):
    """One seat of battleship on a small sea, against a given opponent.

    Description:
        Two players hide a ship of 3 and one of 2 cells each, across or down, on seas of 4 times 4
        cells. Then they shoot in turn, 12 times at most each, at cells that they have not shot at.
        A shot is announced as water, hit, or sunk if it hits the last cell of a ship. The game
        ends early when one has no ship left.

    Observation:
        `view="text"`: the rules (once), then the own ships, all shots in order, the opponent's sea
        as far as it is known, and the legal replies. `view="numeric"`: float32 vector (98,): the
        seat (2), then boards of 16 cells: one for each own ship, the own shots by their number,
        which of them hit, which of these sank, and the opponent's shots by their number.

    Action:
        `view="text"`: the whole reply; a cell such as `b2`, or `b2 across` or `b2 down` for a ship
        that begins there, is read from `<answer>...</answer>`, else from the last line.
        `view="numeric"`: 0 to 15 shoots at a cell, row by row; 16 to 31 places a ship across, 32 to
        47 down.

    Reward:
        0 until the end, then the ships sunk less the ships lost, -2 to 2. `info["score"]` is the
        same as a number in [0, 1]: `(ships + 2) / 4`.

    Episode end:
        When all ships of one are sunk, or no shots are left. A reply that names no legal move is
        repeated up to `max_retries` times, then the game is forfeited at -2, as it is at once by
        an illegal number.

    Arguments:
        board_width: Columns, 1 to 6; default 4.
        board_height: Rows, 1 to 6; default 4.
        ship_sizes: Cells of each ship, in the order of placing; default (3, 2).
        num_shots: Shots of each, at most one for each cell; default 12.

    Example:
        >>> env = BattleshipEnv(seat=0)
        >>> text, info = env.reset(seed=0)
        >>> for reply in ("a1 across", "c3 down", "b2", "<answer>c2</answer>"):
        ...     text, reward, terminated, truncated, info = env.step(reply)
        >>> print(text)
        You are player 1. Your ships: a1-c1, c3-c4.
        Your shots: b2 water, c2 hit.
        Opponent's shots: a1 hit, b1 hit.
        Opponent's sea (~ water, X hit):
        a1 b1 c1 d1
        a2 ~  X  d2
        a3 b3 c3 d3
        a4 b4 c4 d4
        Reply <answer>cell</answer>, one you have not shot at.

    Source:
        A folk game; with parameters as in Farina et al., "Correlation in Extensive-Form Games:
        Saddle-Point Formulation and Benchmarks" (2019, arXiv 1905.12564).
    """

    rules_class = Battleship
