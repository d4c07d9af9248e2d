"""Values of a talk that grow with its turns, computed from the new turns only."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from zerogym.envs.games.talk.core.rules import TalkState

ValueT = TypeVar("ValueT")
_NOWHERE = (None, (), None)


def folded(
    step: Callable[[Any, Any, "TalkState", int], ValueT],
) -> Callable[[Any, "TalkState"], ValueT]:
    """Make a method that goes through the turns of a state from one that goes on by one turn.

    The given method is called with the value before, the state and the number of turns made, and
    returns the value after these; first with None and no turns. It may use the deals and these
    turns. The value of the state that was looked at last is kept, and a state that continues that
    one goes through its new turns only. Values must not be changed.
    """
    place = f"_{step.__name__}_folded"

    @wraps(step)
    def found(self: Any, state: "TalkState") -> ValueT:
        deals, turns, value = self.__dict__.get(place, _NOWHERE)
        if turns is state.turns and deals is state.deals:
            return value
        made = len(turns) + 1
        if deals != state.deals or state.turns[: len(turns)] != turns:
            made, value = 0, None
        for number in range(made, len(state.turns) + 1):
            value = step(self, value, state, number)
        self.__dict__[place] = (state.deals, state.turns, value)
        return value

    return found
