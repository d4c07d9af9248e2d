"""The tables of parts that see whole episodes before an update: filters and reward shaping."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from zerogym.agents.llm.algorithms.batch import Batch
from zerogym.agents.parts import Part, Table, errors_of
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import PartFailed

Groups = Sequence[Sequence[Trajectory]]

_HERE = "zerogym.agents.llm.algorithms"


class Filter(Part):
    """A choice among the episodes of a step; each has the info, role and tokens of its turns.

    Attributes:
        masks: Whether an episode that is not kept counts in the advantages and the size of its
            group, and just has no gradient. Else the step goes on as if it had not been played; a
            group that is left with fewer episodes than the advantage needs is not trained on.
    """

    masks: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, groups: Groups, rng: np.random.Generator) -> Sequence[Sequence[bool]]:
        """Return whether each episode of each group is kept.

        Args:
            groups: Episodes of the same problem (and seat) are a group; sizes may differ.
            rng: Drawn from by filters that choose at random: the same groups get the same numbers.
        """


class Shaping(Part):
    """A reward of training beside the task's, whose own score it leaves as it is."""

    @abstractmethod
    def __call__(self, batch: Batch, limit: int) -> Sequence[Sequence[float]]:
        """Return what is added to the return of each episode of each group.

        Args:
            batch: The episodes.
            limit: Most tokens of a reply.
        """


FILTERS: Table[Filter] = Table("filter", Filter, f"{_HERE}.filters")
SHAPINGS: Table[Shaping] = Table("shaping", Shaping, f"{_HERE}.shapings")
episode_filter, shaping = FILTERS.register, SHAPINGS.register


def kept(part: Filter, groups: Groups) -> list[list[bool]]:
    """Return whether a filter keeps each episode of each group.

    Its random numbers depend on the problems and the weights that played them, so that all
    processes choose alike, and a resumed run as before.

    Raises:
        PartFailed: If the part raises, or returns other than a truth value for each episode.
    """
    names = [
        (item.seed, item.turns[0].weight_version if item.turns else 0)
        for group in groups
        for item in group[:1]
    ]
    entropy = [number % 2**32 for pair in names for number in pair]
    with errors_of(part):
        chosen: list[list[Any]] = [
            list(group) for group in part(groups, np.random.default_rng(entropy))
        ]
    sizes, found = [len(group) for group in groups], [len(group) for group in chosen]
    if sizes != found:
        raise PartFailed(f"{part.title()} judged {found!r:.60} episodes of {sizes!r:.60}")
    for verdict in (verdict for group in chosen for verdict in group):
        if not isinstance(verdict, bool | np.bool_):
            raise PartFailed(f"{part.title()} must return True or False, got {verdict!r:.60}")
    return [[bool(verdict) for verdict in group] for group in chosen]


def without_dropped(parts: Sequence[Filter], groups: Groups) -> list[list[Trajectory]]:
    """Return groups without the episodes that filters drop, one filter after the other."""
    left = [list(group) for group in groups]
    for part in parts:
        if not part.masks:
            chosen = kept(part, left)
            left = [
                [item for item, stays in zip(group, own, strict=True) if stays]
                for group, own in zip(left, chosen, strict=True)
            ]
    return left


def with_gradient(parts: Sequence[Filter], groups: Groups) -> list[bool]:
    """Return whether each episode, in order, has a gradient as far as filters that mask say."""
    whole = [True for group in groups for _ in group]
    for part in parts:
        if part.masks:
            chosen = [stays for group in kept(part, groups) for stays in group]
            whole = [a and b for a, b in zip(whole, chosen, strict=True)]
    return whole


def shaped(part: Shaping, batch: Batch, limit: int) -> list[list[float]]:
    """Return what a part adds to the return of each episode of each group.

    Raises:
        PartFailed: If the part raises, or returns other than a finite number for each episode.
    """
    with errors_of(part):
        added = [[float(number) for number in group] for group in part(batch, limit)]
    sizes, found = [len(group) for group in batch.groups], [len(group) for group in added]
    if sizes != found:
        raise PartFailed(f"{part.title()} shaped {found!r:.60} episodes of {sizes!r:.60}")
    if not all(np.isfinite(group).all() for group in added):
        raise PartFailed(f"{part.title()} returned rewards that are not finite")
    return added
