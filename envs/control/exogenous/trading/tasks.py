"""The tasks of the toy market.

| name | reward of a step |
|---|---|
| `profit` | the gain in %, after fees |
| `risk_adjusted` | the gain, less an eighth of its square: the utility of mean-variance theory |
| `calm_only` | 1 for a long position chosen in calm times, and for none chosen in wild ones |

Mean and variance as in "Portfolio Selection" (1952, Journal of Finance 7). How deep the wealth has
fallen is a cost (`info["cost"]`), not a task. The numbers are our choice.
"""

from collections.abc import Mapping

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.interval_rewards import by_name
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.exogenous.trading.market import GAIN, POSITION, STORM

AVERSION = 0.25  # per %; half of it times the square of the gain is what risk costs


def profit(obs: Array, action: Array, next_obs: Array) -> Array:
    """Return the gain of the step."""
    return next_obs[:, GAIN]


def risk_adjusted(obs: Array, action: Array, next_obs: Array) -> Array:
    """Return the gain, less the cost of its square."""
    gain = next_obs[:, GAIN]
    return gain - AVERSION / 2 * gain**2


def calm_only(obs: Array, action: Array, next_obs: Array) -> Array:
    """Return 1 where the position suits the volatility observed before."""
    suited = 1.0 - obs[:, STORM]
    return namespace(obs, next_obs).where(next_obs[:, POSITION] == suited, 1.0, 0.0)


TASKS: Mapping[str, Task] = by_name(
    (
        Task("profit", "Gain as much as you can, after fees.", profit),
        Task(
            "risk_adjusted",
            "Gain as much as you can, after fees, but each step's gain less an eighth of its "
            "square.",
            risk_adjusted,
        ),
        Task(
            "calm_only",
            "Be invested in calm times and out of the market in wild ones.",
            calm_only,
        ),
    )
)
