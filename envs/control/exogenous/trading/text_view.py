"""The text view of the toy market."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.exogenous.trading.market import (
    NEWEST,
    POSITION,
    STORM,
    TREND,
    WEALTH,
    WORST,
    Market,
)

START = 100.0  # the first price
HELD = {0: "out", 1: "long", -1: "short"}
TRENDS = {0: "", 1: ", the trend up", -1: ", the trend down"}


def rules(exact: Market) -> str:
    """Describe the market at the start of an episode."""
    return (
        f"Changing your position costs {exact.fee:.3g} %. Calm or wild times last a while, and so "
        "do trends."
    )


def words(past: Sequence[NDArray[np.float32]]) -> str:
    """Describe the last of the observations so far."""
    row = past[-1]
    move = f" ({row[NEWEST]:+.2f} %)" if len(past) > 1 else ""
    storm = "wild" if row[STORM] else "calm"
    wealth = f"{row[WEALTH]:+.2f}" if abs(row[WEALTH]) >= 0.005 else "0.00"
    fall = f", deepest fall {row[WORST]:.2f} %" if row[WORST] >= 0.005 else ""
    return (
        f"The price is {prices(past)[-1]:.2f}{move}, the market {storm}"
        f"{TRENDS[int(row[TREND])]}. You are {HELD[int(row[POSITION])]}. Gain {wealth} %{fall}."
    )


def prices(past: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return the price at each moment, (T,)."""
    moves = np.array([float(row[NEWEST]) for row in past])
    return np.asarray(START * np.cumprod(1.0 + moves / 100.0), dtype=np.float64)
