"""The single-player games of TextArena as environments.

An episode is a game, a seed and the replies so far: a child process that had to be killed plays
them again. Left out: games with several players, and those of words, which need corpora to be
downloaded.
"""

import functools
import importlib
import json
import random
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.core import TextEnv
from zerogym.envs.workers import Worker, WorkerCrashed, WorkerError, WorkerTimeout
from zerogym.errors import MissingExtra, UnknownArgument, UnknownName

MAX_REPLY = 20_000  # characters; a longer one is a fault, before the game's patterns see it
MEMORY_MIB = 4096
START_SECONDS = 20.0
STEP_SECONDS = 5.0
KEPT = 64  # games in the child that need not be played again
_SEEDS = 2**31
_MODULE = __name__
_SAME = {"MissingExtra": MissingExtra, "UnknownArgument": UnknownArgument}  # by their names


@functools.cache
def _worker() -> Worker:
    """Return the worker of all games."""
    return Worker(MEMORY_MIB, environment={"PYTHONHASHSEED": "0"})


@dataclass
class Game:
    """A game in progress: what it takes to play it again, and what it says."""

    seed: int
    replies: list[str] = field(default_factory=list)
    over: bool = False
    said: str = ""  # last


class TextArenaEnv(TextEnv):
    """A single-player game of TextArena, in a process with limits.

    Description:
        Any of its games for one player by its id. That suite seeds the global generator of the
        process and steps without a limit of time or memory: guarded, a game runs in a child
        process that can be killed, with random numbers of its own, and neighbouring seeds of
        `reset` start games that have nothing in common. TextArena is to be installed by hand
        (`pip install textarena`): it brings the package `chess`, which has the GPL.

    Observation:
        What the game has said since the last turn, first its rules.

    Action:
        The reply as text, which the game itself reads: a move stands in square brackets. More than
        20,000 characters are a move that the game cannot read.

    Reward:
        At the end the game's own, cut to [0, 1]; 0 where a step of the game raises, hangs or
        kills its process, which also ends the episode.

    Episode end:
        By the game, or after `max_turns`.

    Arguments:
        game: Its id, for example `Mastermind-v0`.
        settings: Arguments of the game (JSON values) over those of its id.
        max_turns: Most replies, those that are no moves included.
        guarded: False plays in this process, as users of the suite do, with the seed of `reset` as
            the game's own. For audits only.
        render_mode: None or `ansi`.

    Example:
        >>> env = TextArenaEnv("Mastermind-v0", {"code_length": 3})

    Source:
        "TextArena" (2025, arXiv 2504.11442).
    """

    library: ClassVar[str] = "textarena"
    max_observation = 65_536

    def __init__(
        self,
        game: str = "Mastermind-v0",
        settings: Mapping[str, Any] | None = None,
        max_turns: int = 100,
        guarded: bool = True,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if max_turns < 1:
            raise ValueError(f"max_turns must be at least 1, got {max_turns!r}")
        self.game, self.settings = game, json.loads(json.dumps(dict(settings or {})))
        self.max_turns, self.guarded = max_turns, guarded

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a game.

        Raises:
            MissingExtra: If TextArena is not installed.
            UnknownArgument: If the game has no such argument.
            ValueError: If there is no such game for one player, or it cannot start: some download
                lists of words or call a server, two are not valid Python before 3.12.
        """
        super().reset(seed=seed)
        self._reset_options(options, ())
        own = int(self.np_random.integers(_SEEDS)) if self.guarded or seed is None else seed
        self._episode = Game(own)
        self._episode.said = self._play(START_SECONDS)["said"][: self.max_observation]
        return self._episode.said, {"turn": 0, "void_turn": False}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Pass the reply to the game."""
        reply = self._check_text(action)
        episode: Game = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        episode.replies.append(reply if len(reply) <= MAX_REPLY else "")
        try:
            found = self._play(STEP_SECONDS)
        except (WorkerTimeout, WorkerCrashed, WorkerError) as fault:
            if isinstance(fault, WorkerError) and not self.guarded:
                raise
            found = {"said": f"The game failed on this reply: {fault}", "over": True, "reward": 0.0}
            found |= {"void": True}
        cut = not found["over"] and len(episode.replies) >= self.max_turns
        episode.over = found["over"] or cut
        reward = min(1.0, max(0.0, found["reward"])) if found["over"] else 0.0
        reward = reward if reward == reward else 0.0
        info = {"turn": len(episode.replies), "void_turn": found["void"]}
        if episode.over:
            info |= {"score": reward, "correct": reward == 1.0, "success": reward == 1.0}
        episode.said = found["said"][: self.max_observation]
        return episode.said, reward, found["over"], cut, info

    def random_action(self, rng: np.random.Generator) -> str:
        """Return a word or some small numbers in square brackets."""
        count = int(rng.integers(1, 5))
        numbers = " ".join(str(number) for number in rng.integers(0, 10, count))
        words = ("up", "down", "left", "right", "A B", "B C", numbers, numbers, numbers)
        return f"[{words[int(rng.integers(len(words)))]}]"

    def render(self) -> str | None:
        """Return what the game has said last."""
        return None if self.render_mode is None or self._episode is None else self._episode.said

    def _play(self, seconds: float) -> dict[str, Any]:
        """Play the episode up to its last reply; the child keeps the games that it has played."""
        episode: Game = self._running()
        arguments = self.game, self.settings, episode.seed, episode.replies
        if not self.guarded:
            return play(*arguments)
        try:
            found: dict[str, Any] = _worker().call(f"{_MODULE}:play", *arguments, seconds=seconds)
            return found
        except WorkerError as error:
            if error.kind in _SAME:
                raise _SAME[error.kind](error.message) from None
            if episode.replies:
                raise
            says = " ".join(error.message.split())
            raise ValueError(f"{self.name}: {self.game} cannot be played here: {says}") from None


Key = tuple[str, str, int, tuple[str, ...]]
_played: OrderedDict[Key, tuple[Any, Any]] = (
    OrderedDict()
)  # games, and the state of their generator


def play(game: str, settings: dict[str, Any], seed: int, replies: list[str]) -> dict[str, Any]:
    """Play a game up to the last of some replies, from where it was left if it is still kept.

    Args:
        game: Its id.
        settings: Its arguments.
        seed: Of its reset.
        replies: All of the player's.

    Returns:
        `said`: what it says after the last reply, `over`, `reward`, and `void`: whether it could
        not read the reply.

    Raises:
        MissingExtra: If TextArena is not installed.
        UnknownName: If there is no such game.
        UnknownArgument: If it has no such argument.
        ValueError: If it is for several players.
    """
    name = (game, json.dumps(settings, sort_keys=True), seed)
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 (what the suite draws from)
    try:
        kept = _played.pop((*name, tuple(replies[:-1])), None) if replies else None
        if kept is None:
            env = _started(game, settings, seed)
            for reply in replies[:-1]:
                env.get_observation()
                env.step(reply)
            if replies:  # what was observed before is not said again
                env.get_observation()
        else:
            env, (state, array_state) = kept
            random.setstate(state)
            np.random.set_state(array_state)  # noqa: NPY002
        if replies:
            env.step(replies[-1])
        core = env.state
        said = "\n".join(str(message) for _, message, _ in env.get_observation()[1])
        found = {"said": said, "over": bool(core.done), "reward": 0.0, "void": False}
        if core.done:
            rewards, info = env.close()
            found["reward"] = (rewards or {}).get(0, 0.0)
            if not isinstance(found["reward"], int | float):  # some games mix up two arguments
                raise ValueError(f"the reward of {game} is no number: {found['reward']!r:.60}")
            found["said"] = "\n".join(filter(None, (said, str(info[0].get("reason") or ""))))
            found["void"] = bool(info[0]["invalid_move"])
        else:
            found["void"] = bool(core.made_invalid_move or core.error_count)
            generators = random.getstate(), np.random.get_state()  # noqa: NPY002
            _played[*name, tuple(replies)] = env, generators
            while len(_played) > KEPT:
                _played.popitem(last=False)
        return found
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


def _started(game: str, settings: Mapping[str, Any], seed: int) -> Any:
    """Return a game after its reset."""
    suite = _suite()
    known = importlib.import_module("textarena.envs.registration").ENV_REGISTRY
    raw = game if game.endswith("-raw") else f"{game}-raw"  # without wrappers that repeat all
    if raw not in known:
        names = [name[: -len("-raw")] for name in known if name.endswith("-raw")]
        raise UnknownName("game of TextArena", game, sorted(names))
    np.random.seed(seed % 2**32)  # noqa: NPY002
    random.seed(seed)
    try:
        env = suite.make(raw, **settings)
    except TypeError as error:
        raise UnknownArgument(f"{game}: {error}") from None
    try:
        env.reset(num_players=1, seed=seed)
    except AssertionError as error:
        raise ValueError(f"{game} is not for one player: {error}") from None
    if not isinstance(env.state, suite.SinglePlayerState):
        raise ValueError(f"{game} is not for one player")
    return env


def _suite() -> Any:
    try:
        return importlib.import_module("textarena")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "textarena":
            raise
        raise MissingExtra(
            "zerogym/TextArena-v0 needs textarena: pip install textarena (it brings the package "
            "chess, which has the GPL)"
        ) from None
