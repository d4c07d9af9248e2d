"""Play the episodes of requests, in this process."""

from collections.abc import Sequence

from zerogym.agents.llm.rollout.branching import branch_point, guided_point
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import BranchPoint, Episode, Players
from zerogym.agents.llm.rollout.request import PlannedEpisode
from zerogym.agents.llm.rollout.runner import play
from zerogym.agents.trajectory import Trajectory


def play_planned(
    envs: Environments,
    planned: Sequence[PlannedEpisode],
    players: Players,
    asynchronous: bool,
    own_seeds: bool,
) -> list[Trajectory]:
    """Play episodes of requests.

    Args:
        envs: Environments of any task: those of the prompts' tasks are made when needed.
        planned: The episodes, in the order of their numbers.
        players: One player for all seats, or one for each.
        asynchronous: As in `rollout`.
        own_seeds: Whether the random numbers of an episode depend on its key alone, whatever else
            is played; they do in any case if `asynchronous` or in a run of several processes.

    Returns:
        One trajectory for each episode and seat, in the order of the episodes.
    """
    points: dict[tuple[int, int], BranchPoint] = {}  # by identity: those of a request share one
    episodes = []
    for one in planned:
        place = id(one.prompt), id(one.start)
        own = envs.of(one.prompt.task)
        if one.start is not None and place not in points:
            recorded, replies = one.start.episode, one.start.replies
            points[place] = branch_point(own, recorded, replies, one.prompt, players)
        elif (one.prompt.trace or one.prompt.guided) and place not in points:
            points[place] = guided_point(own, one.prompt, players)
        episodes.append(Episode(one.number, one.prompt, one.group, points.get(place), one.key))
    return play(envs, episodes, players, len(episodes), asynchronous, None, own_seeds)
