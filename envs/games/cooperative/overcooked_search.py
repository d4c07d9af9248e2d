"""The fewest rounds to a soup, by breadth-first search over what both cooks can do together."""

from typing import TYPE_CHECKING

from zerogym.envs.games.cooperative.overcooked_kitchen import MOVES, Kitchen, after_round

if TYPE_CHECKING:
    from zerogym.envs.games.cooperative.overcooked_mini import OvercookedMini


def first_soup(game: "OvercookedMini") -> tuple[tuple[int, int], ...]:
    """Return moves of both cooks, round by round, that serve a soup as early as possible.

    Exact, and in a second for the default parameters: kitchens are visited once each, in order of
    the rounds that lead to them.

    Example:
        >>> from zerogym.envs.games.cooperative.overcooked_mini import OvercookedMini
        >>> len(first_soup(OvercookedMini(layout="divided", onions=1, cook_time=1)))
        9
    """
    plan, moves = game.plan, range(len(MOVES))
    joint = [(first, second) for first in moves for second in moves]
    start = plan.opening()
    came: dict[Kitchen, tuple[Kitchen, tuple[int, int]]] = {}
    front, visited = [start], {start}
    while True:
        following = []
        for kitchen in front:
            for pair in joint:
                after, served = after_round(plan, game.onions, game.cook_time, kitchen, pair)
                if served:
                    found = [pair]
                    while kitchen != start:
                        kitchen, before = came[kitchen]
                        found.append(before)
                    return tuple(reversed(found))
                if after not in visited:
                    visited.add(after)
                    came[after] = (kitchen, pair)
                    following.append(after)
        front = following
