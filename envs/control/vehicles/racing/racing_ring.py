"""A car on a ring road, alone or among others, with any reward."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats, as_floats, check_integer
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.interval_rewards import known_name
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.vehicles.base import VehicleEnv
from zerogym.envs.control.vehicles.racing.controller import Drive, drive
from zerogym.envs.control.vehicles.racing.physics import LENGTH, START, RingRules
from zerogym.envs.control.vehicles.racing.render import bird_view
from zerogym.envs.control.vehicles.racing.tasks import (
    CRUISE,
    MEASURES,
    RADIUS,
    place_task,
    ring_tasks,
)

MOST_RIVALS = 4
LEAST_LAPS, MOST_LAPS, MOST_LEFT = 0.1, 1.0, 3.0  # of goals
DRIVES: Mapping[str, Drive] = {
    "lap": Drive(),
    "shaped": Drive(),
    "cruise": Drive(fastest=CRUISE),
    "centre": Drive(overtakes=False),
    "overtake": Drive(),
}


class RacingRingEnv(VehicleEnv):
    """A car on a ring road among others, any reward.

    Description:
        A road of 240 m closes to a ring, drawn anew in each episode: two to four times the same
        bends. The car is a bicycle whose tyres have only so much grip for steering, braking and
        driving together; 20 steps a second. Beside the road there are 2 m of verge. Other cars
        keep their lane and speed, but follow the car if it is slower. Physics and reward are apart:
        `env.unwrapped.tasks` holds the named rewards, any other can be given.
        `env.unwrapped.batched(n)` steps n cars at once, of NumPy or torch.

    Observation:
        float32 (13 + 1 + 3 rivals,): metres to the left and to the right edge of the road; sine
        and cosine of the heading against the road; speed in m/s; steering angle in rad; the turn
        of the road on 20 m in rad, positive leftwards, here and 5, 10, 20, 30, 45 and 60 m
        ahead; laps driven; of each other car how far it is ahead (-120 to 120 m), how far to the
        left, and how much faster the car is, in m/s. Features: `offset`, `room`, `heading`,
        `speed`, `steering`, `bend`, `laps`, `impact` (seconds until a car in the way is met).

    Action:
        float32 (2,) in [-1, 1]: steering, leftwards positive, up to 0.5 rad with a lag of 0.1 s;
        power (positive) or brake; larger values are clipped.

    Reward:
        That of the task. `lap`: progress in per cent of a lap, halved beside the road and halved
        again while a collision is less than 1 s away; driving back loses what it had brought. There
        is no other penalty, but collisions end the episode. `shaped`: a sum of speed, place and
        direction, for comparison. `cruise`: 10 m/s on the road. `centre`: the centre line, at 5 m/s
        or more. `overtake`: 1 for each car overtaken, -1 for the other way round. `task=None` is
        reward-free: 0.

    Episode end:
        Terminated by a collision or by leaving the verge; truncated after `horizon` steps.
        `info["cost"]` is 1 beside the road and at a collision, else 0. `info["success"]` (goals):
        the car has been within 1 m of the place.

    Difficulty:
        The context: less grip and more power want more care; a narrow road leaves less room to
        overtake. `rivals` is how many others there are.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`; or a
            goal: laps ahead of the start (0.1 to 1), metres to the left of the centre (-3 to 3).
        context: Values for some of the constants `grip`, `power`, `mass`, `drag`, `width`.
        rivals: Other cars, 0 to 4.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/RacingRing-v0", task="lap", rivals=0)
        >>> obs, info = env.reset(seed=0)
        >>> total = 0.0
        >>> for _ in range(500):
        ...     obs, reward, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
        ...     total += reward
        >>> total > 100, info["cost"]
        (True, 0.0)

    Source:
        Ours. The reward of `lap` after "CaRL: Learning Scalable Planning Policies with Simple
        Rewards" (2025, arXiv 2504.17838), which is about traffic, not about a ring; checkpoints
        on a ring after "FastRLAP" (2023, arXiv 2304.09831) gave the idea. Left out: pictures as
        observations, traffic that reacts.
    """

    default_task = "lap"
    measures = MEASURES
    rules: RingRules

    def __init__(
        self,
        task: Any = DEFAULT,
        context: Mapping[str, float] | None = None,
        rivals: int = 2,
        horizon: int = 500,
        render_mode: str | None = None,
    ) -> None:
        check_integer("rivals", rivals, 0, MOST_RIVALS)
        self.rivals = rivals
        super().__init__(RingRules(rivals), task, context, horizon, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""
        return ring_tasks(self.rivals > 0)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        place = as_floats(goal)
        laps, left = place if place.shape == (2,) else (np.nan, np.nan)
        if not (LEAST_LAPS <= laps <= MOST_LAPS and abs(left) <= MOST_LEFT):
            raise ValueError(
                f"{self.name}: goal must be (laps ahead, metres to the left) within [0.1, 1] and "
                f"[-3, 3], got {str(goal)[:60]}"
            )
        return place_task(place)

    def _at_goal(self, episode: Any, goal: NDArray[Any]) -> bool:
        along = episode.state[0] - episode.state[START] - LENGTH * goal[0]
        return bool(np.hypot(along, episode.state[1] - goal[1]) <= RADIUS)

    def _best(self, episode: Any) -> Floats | None:
        task = episode.task
        if task.goal is not None:
            target = Drive(left=float(task.goal[1]), stop=float(task.goal[0]))
        elif (name := known_name(task, self.tasks)) is not None:
            target = DRIVES[name]
        else:
            return None
        return drive(self.rules, episode.state, episode.context, target)

    def _picture(self, episode: Any) -> NDArray[np.uint8]:
        goal = None if episode.task is None else episode.task.goal
        return bird_view(self.rules, episode.state, episode.context, goal)
