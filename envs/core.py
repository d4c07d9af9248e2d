"""Base classes of all environments: snapshots, the oracle's action, clear misuse errors.

`info` keys, the same in every family (a key is present only where it means something):

| key | when | meaning |
|---|---|---|
| `score` | step | quality of this action in [0, 1], before any shaping |
| `correct` | step | `score == 1` |
| `success` | step | the episode has reached its goal |
| `answer_format` | step | where the answer was found: `tag`, `boxed`, `line` or `none` |
| `feedback` | step | description of what is wrong with the action |
| `answer` | end of the episode only | the canonical answer |
| `difficulty`, `category`, `split` | reset and step | which problem this is |
| `problems` | reset and step | how many problems this difficulty and split have, if few |
| `turn` | reset and step | turns taken so far |
| `void_turn` | reset and step | the action could not be read as anything the task knows |
| `tool_calls`, `failed_calls`, `cost` | step | tool calls so far; those without a result; cost |
| `evidence_recall`, `rubric` | step | share of the needed pages read; of the facts proved |
| `passed`, `hidden_passed`, `checks_passed` | end of the episode | share of checks that hold |
| `tests_passed`, `read_files` | step | share of visible tests that passed last; files read so far |
| `precision`, `completeness`, `f1` | end of the episode | of calls, against the needed ones |
| `intercode`, `parts` | end of the episode | InterCode's reward as published; its three parts |
| `outcome`, `cost_reward`, `spent` | end of the episode | right or not; reward for cost; cost |
| `immediate`, `gate` | end of the episode | rewards that a gate holds back; whether it opened |
| `injected_errors`, `retry_bonus` | step | errors that a wrapper put in; its bonus for retries |
| `sandbox` | reset and step | level of the sandbox that runs a model's code |
| `unavailable` | end of the episode | a tool failed by itself: no score, and nobody's failure |
| `event` | step | what has happened, in words |
| `mission` | reset and step | the goal, in words |
| `formula` | reset and step | the mission as a formula of time, where it is one |
| `level` | reset | the map of this episode, as a vector |
| `context` | reset | the constants of the physics in this episode |
| `cost_left`, `unsafe` | reset and step | what is left of a budget of costs; whether it is spent |
| `machine_state` | reset and step | the state of a reward machine that runs along |
| `adversary`, `push` | step | the adversary's action; the force that acted, in newton |
| `jump`, `stage` | reset | steps made before the agent's first; how far a curriculum of them is |
| `start`, `demonstration` | reset | number of the stored start or demonstration; None if plain |
| `factor` | reset | by what constants of the physics are multiplied in this episode |
| `done_action`, `age` | step | with delays: the executed action; age of the observation |
| `proposal` | end of the episode | an accepted proposal of a task, as JSON text |
| `seat` | reset and step | the agent's seat in a game |
| `role` | reset and step | the part of that seat, where seats have different ones |
| `vote` | end of a game | `right`, `wrong` or `none`: what became of this seat's vote |
| `rate_...` | end of a game | a number; training reports its mean over episodes that have it |
| `welfare` | end of a game | the sum of the payoffs of all seats, where it is not always 0 |
| `action_mask` | reset and step | `int8` mask of the legal discrete actions |
"""

import copy
import inspect
from typing import Any, ClassVar, Generic, Self, TypeVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from zerogym.envs.spaces import Utf8Text
from zerogym.errors import NoOracle, UnknownArgument, UnknownName

ObsT = TypeVar("ObsT")
ActT = TypeVar("ActT")

MAX_ACTION_LENGTH = 2**24  # characters; what a model writes is cut off long before


class TaskEnv(gym.Env[ObsT, ActT], Generic[ObsT, ActT]):
    """Base of all single-agent environments: snapshots, the oracle's action, clear misuse errors.

    A subclass keeps everything that changes during an episode in `self._episode` (any object that
    `copy.deepcopy` copies), sets it in `reset`, and draws randomness from `self.np_random` only.

    Attributes:
        waits: Its steps wait for something outside this process, for example a sandbox, so that
            those of several environments are worth a thread each. It may then be used from any
            thread, by one at a time.
    """

    waits: bool = False
    _episode: Any = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Refuse arguments that the constructor does not have, and name those that it has.

        Raises:
            UnknownArgument: If there is one.
        """
        known = inspect.signature(cls.__init__).parameters
        if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
            for name in kwargs:
                if name not in known:
                    raise UnknownArgument.of(f"{cls.__name__}()", name, list(known)[1:])
        return super().__new__(cls)

    def get_state(self) -> dict[str, Any]:
        """Return a snapshot of episode and random generator, independent of what happens next."""
        return {
            "episode": copy.deepcopy(self._running()),
            "rng": copy.deepcopy(self.np_random.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        self._episode = copy.deepcopy(state["episode"])
        self.np_random.bit_generator.state = copy.deepcopy(state["rng"])

    def oracle_action(self) -> ActT:
        """Return the oracle's action in the present state: score 1 of the benchmarks.

        Raises:
            NoOracle: If there is none, as in a reward-free environment.
        """
        raise NoOracle(f"{self.name} has no oracle")

    def random_action(self, rng: np.random.Generator) -> ActT:
        """Return a well-formed action of an uninformed policy: score 0 of the benchmarks.

        `rng` is the policy's own generator: the episode does not change.
        """
        self.action_space.seed(int(rng.integers(2**31)))
        return self.action_space.sample()

    @property
    def name(self) -> str:
        """The registered id, or the class name for an environment made by hand."""
        return self.spec.id if self.spec is not None else type(self).__name__

    def _reset_options(
        self, options: dict[str, Any] | None, known: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the options of `reset`, or {}; raise UnknownName for a name that is not known."""
        for key in options or {}:
            if key not in known:
                raise UnknownName("reset option", key, list(known))
        return options or {}

    def _running(self) -> Any:
        """Return the episode; raise ResetNeeded before the first one."""
        if self._episode is None:
            raise ResetNeeded(f"{self.name}: call reset() first")
        return self._episode


class TextEnv(TaskEnv[str, str]):
    """Base of environments that a language model plays: strings in, strings out.

    Observation: the text that is new since the last turn (the policy keeps the conversation).
    Action: the model's whole reply. Any `str` is legal; nonsense is scored, never refused.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium's type)
        "render_modes": ["ansi"],
        "render_fps": 1,
    }
    max_observation: ClassVar[int] = 16_384

    def __init__(self, render_mode: str | None = None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(
                f"{type(self).__name__}: render_mode must be None or one of "
                f"{self.metadata['render_modes']}, got {render_mode!r}"
            )
        self.render_mode = render_mode
        self.observation_space = Utf8Text(self.max_observation)
        self.action_space = Utf8Text(MAX_ACTION_LENGTH)

    def _check_text(self, action: object) -> str:
        if not isinstance(action, str):
            raise TypeError(f"{self.name} takes a str as action, got {type(action).__name__}")
        return action
