"""A toy market: when to be in, when to be out, and what that costs.

The market is in `market.py`, rewards in `tasks.py`, the oracle in `planner.py`.
Left out: real prices, sizes of positions, several assets, the hierarchical policy of the paper.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Library, as_floats, check_integer
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.interval_rewards import Column
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.exogenous.base import Episode, ExogenousEnv, View
from zerogym.envs.control.exogenous.trading.batched import BatchedTrading
from zerogym.envs.control.exogenous.trading.market import (
    NEWEST,
    STORM,
    TREND,
    UP,
    WORST,
    Market,
    bounds,
    entered,
)
from zerogym.envs.control.exogenous.trading.planner import TradingPlan, trading_plan
from zerogym.envs.control.exogenous.trading.render import ansi, rgb
from zerogym.envs.control.exogenous.trading.tasks import TASKS
from zerogym.envs.control.exogenous.trading.text_view import rules, words

ACTIONS, POSITIONS = ("out", "long", "short"), (0, 1, -1)
FRAMES = (1, 64)  # moves that an observation has, from, to
NAMES = ("gain", "position", "wealth", "fall", "worst_fall", "wild")
MEASURES: Measures = {
    **{name: Column(index) for index, name in enumerate(NAMES)},
    "move": Column(NEWEST),
}


class TradingEnv(ExogenousEnv):
    """A toy market whose trend is hidden, any reward.

    Description:
        In each step the agent is out of the market or long in it (`short`: or short); then the
        price stays or moves by the size of the volatility. The trend, up or down, makes moves one
        way likelier; it is hidden unless `trend_visible`. Calm or wild volatility is observed.
        Both are Markov chains that no action changes. A change of position costs a fee. The chances
        are known, so the oracle is dynamic programming over the belief of the filter: no policy
        that does not observe the trend is better. A toy: no real market data.

    Observation:
        `view="numeric"`: float32: gain of the last step, position, wealth gained so far, how far
        it has fallen from its peak, the deepest fall so far (all in % of the money invested), 1 in
        wild times, the trend (1 up, -1 down, 0 hidden), and the last `frames` moves of the price
        in %, newest first. `view="text"`: the same in words without older moves, at the start with
        the task.

    Action:
        0 out, 1 long, 2 short. `view="text"`: a reply that says one of the words in
        `<answer>...</answer>` or as its last line; any other counts as out and sets
        `info["void_turn"]`.

    Reward:
        That of the task. `profit`: the gain in %, after fees; `risk_adjusted`: the gain less an
        eighth of its square; `calm_only`: 1 where the position suits the observed volatility.
        `task=None` is reward-free: 0. Features for rewards of `(features, action)`: `gain`,
        `position`, `wealth`, `fall`, `worst_fall`, `wild`, `move`.

    Episode end:
        Truncated after `horizon` steps. `info["cost"]`: by how much the deepest fall has grown;
        summed over an episode it is the largest drawdown.

    Difficulty:
        The context: a small edge, a trend that turns often, high fees.

    Arguments:
        short: Whether there is a third action, to be short.
        trend_visible: Whether the trend is observed.
        frames: Number of moves in an observation, 1 to 64.
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`.
        context: Values for some of the constants `edge`, `trend_switch`, `volatility_switch`,
            `calm`, `wild`, `fee`.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.

        `reset(options=...)` may pin `start` (trend, 0 down or 1 up; volatility, 0 calm or 1 wild),
        `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Trading-v0", task="profit", view="text", trend_visible=True)
        >>> print(env.reset(seed=1, options={"start": (1, 0)})[0])
        Gain as much as you can, after fees.
        Changing your position costs 0.1 %. Calm or wild times last a while, and so do trends.
        The price is 100.00, the market calm, the trend up. You are out. Gain 0.00 %.
        Answer with one move: out or long.
        >>> env.step("<answer>long</answer>")[0]
        'The price is 100.50 (+0.50 %), the market calm, the trend up. You are long. Gain +0.40 %.'

    Source:
        Regimes of trend and volatility, and positions of nothing or one unit, after "MacroHFT:
        Memory Augmented Context-aware Reinforcement Learning On High Frequency Trading" (2024,
        arXiv 2406.14537). Market and numbers are our choice.
    """

    default_task = "profit"
    constants = MappingProxyType(
        {
            "edge": Constant(0.4, 0.0, 0.9, "how far the trend tilts moves", (0.2, 0.6)),
            "trend_switch": Constant(0.05, 0.0, 0.5, "chance that it turns", (0.02, 0.1)),
            "volatility_switch": Constant(0.1, 0.0, 0.5, "chance of a change", (0.05, 0.2)),
            "calm": Constant(0.5, 0.1, 1.0, "size of calm moves in %", (0.3, 0.7)),
            "wild": Constant(2.0, 1.0, 5.0, "size of wild moves in %", (1.5, 3.0)),
            "fee": Constant(0.1, 0.0, 1.0, "cost of a change of position in %", (0.05, 0.3)),
        }
    )

    def __init__(
        self,
        short: bool = False,
        trend_visible: bool = False,
        frames: int = 16,
        task: Any = DEFAULT,
        context: Mapping[str, float] | None = None,
        view: View = "numeric",
        horizon: int = 100,
        render_mode: str | None = None,
    ) -> None:
        check_integer("frames", frames, *FRAMES)
        self.short, self.trend_visible = bool(short), bool(trend_visible)
        self._positions = POSITIONS if short else POSITIONS[:2]
        space = spaces.Box(*bounds(frames, self.constants["wild"].high), dtype=np.float32)
        names = ACTIONS[: len(self._positions)]
        super().__init__(task, context, view, horizon, render_mode, names, space)

    tasks = TASKS
    measures = MEASURES

    @property
    def market(self) -> Market:
        """The exact chances of this episode."""
        return Market(**self.context)

    def belief(self) -> float:
        """Return the chance of an upward trend after the past observations."""
        episode: Episode = self._running()
        newest = episode.observation
        if self.trend_visible:
            return float(newest[TREND] > 0)
        up = np.array([0.5]) if episode.belief is None else episode.belief
        for row in episode.past[max(episode.read, 1) :]:
            up = self.market.learnt(up, int(np.sign(row[NEWEST])))
        episode.belief, episode.read = up, len(episode.past)
        return float(up[0])

    def buy_and_hold_action(self) -> Any:
        """Return the action of the baseline that is always long."""
        return self._reply(self.action_names.index("long"))

    def batched(
        self, n: int, library: Library = "numpy", device: str | None = None
    ) -> BatchedTrading:
        """Make a batch of markets with this one's context, task and horizon.

        Args:
            n: Number of markets.
            library: Array library, `numpy` or `torch`.
            device: Device of torch's tensors.
        """
        frames = self._numeric_space.shape[0] - NEWEST
        assert not isinstance(self._task, str)  # these worlds have no `random_tasks`
        return BatchedTrading(
            Market(**self._own_context), self._positions, self.trend_visible, frames, n,
            task=self._task, horizon=self.horizon, library=library, device=device,
        )  # fmt: skip

    def _draw(self, past: list[NDArray[np.float32]]) -> Any:
        return ansi(past) if self.render_mode == "ansi" else rgb(past)

    def _first(self, start: Any, context: Mapping[str, float]) -> tuple[int, ...]:
        """Draw both regimes evenly."""
        drawn = tuple(int(self.np_random.integers(2)) for _ in range(2))
        if start is None:
            return drawn
        given = as_floats(start)
        if given.shape != (2,) or not np.isin(given, (0, 1)).all():
            raise ValueError(
                f"{self.name}: start must be (trend, volatility), each 0 or 1, "
                f"got {str(start)[:60]}"
            )
        return tuple(int(each) for each in given)

    def _first_observation(
        self, hidden: tuple[int, ...], context: Mapping[str, float]
    ) -> NDArray[np.float32]:
        first = np.zeros(self._numeric_space.shape, dtype=np.float32)
        first[STORM], first[TREND] = hidden[1], self._shown(hidden[0])
        return first

    def _advance(self, action: int) -> tuple[tuple[int, ...], NDArray[np.float32]]:
        exact, episode = self.market, self._episode
        before = episode.hidden
        trend, wild, move = exact.next(before[0], before[1], self.np_random.random(3))
        position, shown = self._positions[action], [self._shown(trend)]
        after = entered(episode.observation, position, [move], [wild], shown, exact)[0]
        return (trend, wild), after

    def _shown(self, trend: int) -> int:
        return 0 if not self.trend_visible else 1 if trend == UP else -1

    def _plan(self, task: Task) -> TradingPlan:
        return trading_plan(self.market, self._positions, task, self.trend_visible, self.horizon)

    def _rules(self) -> str:
        return rules(self.market)

    def _words(self, observation: NDArray[np.float32]) -> str:
        return words(self._episode.past)

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        if episode.turn == 0:
            return super()._info()
        deeper = float(episode.past[-1][WORST]) - float(episode.past[-2][WORST])
        return super()._info() | {"cost": deeper}
