"""One seat of any game as a Gymnasium environment; opponents move inside it.

Left out: opponents that differ from seat to seat, and that learn while the episode runs (give the
object again, or use the multi-agent view of `aec.py`).
"""

from copy import deepcopy
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.core import TaskEnv
from zerogym.envs.games.core.game import Game, action_mask, make_game
from zerogym.envs.games.core.parameters import check_names, parameters_of
from zerogym.envs.games.core.players import Player
from zerogym.envs.games.core.render import MODES, picture
from zerogym.envs.games.core.seat_views import (
    VOID,
    View,
    action_space,
    check_max_retries,
    check_view,
    forfeit_message,
    read_action,
    seat_message,
    text_space,
    vector_space,
    write_action,
)
from zerogym.envs.games.opponents.registry import Opponent, make_opponent
from zerogym.envs.games.solvers.oracle import best_known_player
from zerogym.envs.games.views.episode import Episode, begin, ended, met, others_move, returns

RESET_OPTIONS = ("seat",)


class SingleSeatEnv(TaskEnv[Any, Any]):
    """Base of the single-seat views: a subclass names its rules in `rules_class`.

    All further arguments are fields of the rules; lists are as good as tuples.

    Reward:
        0 until the end, then 1 for a win, 0 for a draw, -1 for a loss. `info["score"]` is the same
        as a number in [0, 1]: 1, 0.5 or 0.

    Arguments:
        opponent: In all other seats: a name (`random` by default; the error for a wrong one lists
            them; also `mcts:200`, `llm:tiny`, `past:FOLDER`, `person`), or a player or policy. Of
            `random+mcts`, of weights `{"random": 3, "mcts": 1}` and of a list, one is drawn for
            each episode.
        seat: The learner's seat, or `random` (default) for a new draw in each episode;
            `reset(options={"seat": 0})` pins that of one episode.
        view: `text` (default) or `numeric`.
        max_retries: Further replies after one without a legal move, for each move; default 2.
        opponent_view: The view that a policy as opponent gets; default: the same as `view`.
        render_mode: None, `ansi` or `rgb_array`.
    """

    metadata = MODES
    rules_class: ClassVar[type[Any]]

    def __init__(
        self,
        opponent: Opponent = "random",
        seat: int | Literal["random"] = "random",
        view: View = "text",
        max_retries: int = 2,
        opponent_view: View | None = None,
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            modes = self.metadata["render_modes"]
            raise ValueError(f"render_mode must be None or one of {modes}, got {render_mode!r}")
        own = [*parameters_of(self.rules_class), *parameters_of(SingleSeatEnv)[:-1]]
        check_names(self.name, parameters, own)
        self.render_mode = render_mode
        self.max_retries = check_max_retries(max_retries)
        self.game: Game[Any] = make_game(self.rules_class, **parameters)
        self.seat = self._check_seat(seat)
        self.view = check_view("view", view)
        self.opponent = make_opponent(self.game, opponent)
        self.opponent_view = check_view("opponent_view", opponent_view or view)
        self.observation_space: spaces.Space[Any] = (
            text_space(self.game) if self.view == "text" else vector_space(self.game)
        )
        self.action_space = action_space(self.game, self.view)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal, and let the others move until it is the learner's turn."""
        super().reset(seed=seed)
        options = self._reset_options(options, RESET_OPTIONS)
        seat = self._check_seat(options.get("seat", self.seat))
        if not isinstance(seat, int):
            seat = int(self.np_random.integers(self.game.num_seats))
        self._episode = begin(self.game, seat, self.opponent, self.np_random)
        self._others_move()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The learner's move, then the others' until it is its turn again or the game is over."""
        episode: Episode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        move = read_action(self.game, episode.state, self.view, action, self.name)
        decided = self._ended()  # before the learner's first move: `reset` cannot end an episode
        if not decided:
            self._play(move)
        void = move is None and not decided
        info = self._info() | {"void_turn": void}
        if void or episode.loser is not None:
            info["feedback"] = self._feedback()
        earlier, totals = episode.returned, returns(self.game, episode)
        total = episode.returned = float(totals[episode.seat])
        if not self._ended():
            return self._observation(), total - earlier, False, False, info
        episode.over = True
        low, high = self.game.payoff_range
        score = (total - low) / (high - low)
        info |= {"score": score, "success": total > 0 if self.game.zero_sum else score > 0.5}
        if not self.game.zero_sum:
            info["welfare"] = float(sum(totals))
        return self._observation(), total - earlier, True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (num_actions,): the legal actions, in the form that MaskablePPO takes."""
        episode: Episode = self._running()
        return action_mask(self.game, episode.state, episode.seat).astype(np.bool_)

    def oracle_policy(self) -> Player:
        """The best player known against the opponent of this episode: see `best_known_player`.

        Exact where the game can be solved, else only a strong player.

        Raises:
            NoOracle: If what is best depends on an opponent that is not known.
        """
        episode: Episode = self._running()
        return best_known_player(self.game, episode.seat, met(self.opponent, episode))

    def oracle_action(self) -> Any:
        """A move of `oracle_policy`; drawing it does not disturb the episode."""
        if self._ended():
            return self._no_move()
        # A generator of its own, seeded by the episode's: independent of the opponent's next draw.
        rng = np.random.default_rng(int(deepcopy(self.np_random).integers(2**63)))
        return self._write(self.oracle_policy().choose(self._running().state, rng))

    def random_action(self, rng: np.random.Generator) -> Any:
        """A legal move, all equally likely."""
        if self._ended():
            return self._no_move()
        legal = self.game.legal(self._running().state)
        return self._write(legal[int(rng.integers(len(legal)))])

    def render(self) -> Any:
        """The learner's view in words; or a picture, as uint8 (height, width, 3)."""
        if self.render_mode is None or self._episode is None:
            return None
        if self.render_mode == "rgb_array":
            return picture(self.game, self._episode.state, self._position, self._episode.seat)
        return self._position()

    def _write(self, move: int) -> Any:
        return write_action(self.game, self._running().state, self.view, move)

    def _no_move(self) -> Any:
        """An action for a game that was decided before the learner's first move."""
        return "" if self.view == "text" else 0

    def _ended(self) -> bool:
        return ended(self.game, self._episode)

    def _play(self, move: int | None) -> None:
        episode: Episode = self._episode
        if move is not None:
            episode.state = self.game.apply(episode.state, move)
            episode.turn, episode.void = episode.turn + 1, 0
            self._others_move()
            return
        episode.void += 1
        if self.view == "numeric" or episode.void > self.max_retries:
            episode.loser = episode.seat

    def _others_move(self) -> None:
        others_move(
            self.game,
            self._episode,
            met(self.opponent, self._episode),
            self.opponent_view,
            self.max_retries,
            self.np_random,
        )

    def _observation(self) -> Any:
        episode: Episode = self._episode
        if self.view == "numeric":
            return self.game.observe(episode.state, episode.seat)
        return seat_message(
            self.game, episode.state, episode.seat, episode.turn, episode.void, episode.loser
        )

    def _position(self) -> str:
        """The text view of the seat, or the forfeit that ended the episode."""
        episode: Episode = self._episode
        if episode.loser is not None:
            return forfeit_message(self.game, episode.loser, episode.seat)
        return self.game.describe(episode.state, episode.seat)

    def _feedback(self) -> str:
        loser = self._episode.loser
        if loser is None:
            return VOID
        return forfeit_message(self.game, loser, self._episode.seat)

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        info: dict[str, Any] = {"turn": episode.turn, "seat": episode.seat, "void_turn": False}
        if role := self.game.role(episode.seat):
            info["role"] = role
        info |= self.game.facts(episode.state, episode.seat)
        if self.view == "numeric":
            info["action_mask"] = action_mask(self.game, episode.state, episode.seat)
        return info

    def _check_seat(self, seat: object) -> int | Literal["random"]:
        if seat == "random":
            return "random"
        if isinstance(seat, (int, np.integer)) and 0 <= seat < self.game.num_seats:
            return int(seat)
        raise ValueError(
            f"seat must be 0 to {self.game.num_seats - 1} or 'random', got {seat!r:.80}"
        )
