"""The steps of a rollout's worlds: at once, or side by side in threads where they wait.

Threads run a world's `reset` and `act` and nothing else. Whatever the order in which steps end,
what follows from them happens in the caller's thread: tokenizers are not made for several.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

from zerogym.agents.llm.rollout.episode import Episode

MAX_THREADS = 64


class EnvStepper:
    """What worlds are doing.

    The steps of a world that `waits` are taken in threads, at most 64 at once; those of the others
    cost less than a thread, and are taken in the caller's.

    Args:
        asynchronous: Take every step in a thread, and do not wait for all before going on.
    """

    def __init__(self, asynchronous: bool) -> None:
        self._asynchronous = asynchronous
        self._threads = ThreadPoolExecutor(MAX_THREADS, "rollout")  # made when needed
        self._at_work: dict[Future[Mapping[str, float]], Episode] = {}  # in order of their start

    def reset(self, episode: Episode) -> None:
        """Begin an episode."""
        self._start(episode, episode.begin)

    def act(self, episode: Episode, text: str) -> None:
        """Begin the step for a reply."""
        self._start(episode, partial(episode.world.act, text))

    def settle(self, idle: bool = False) -> None:
        """Tell episodes what the steps that have ended gave; raises what a step raised.

        Waits for all of them; asynchronously for none, or for one if there is nothing else to do
        (`idle`).
        """
        if not self._asynchronous:
            wait(self._at_work)
        elif idle:
            wait(self._at_work, return_when=FIRST_COMPLETED)
        for done in [future for future in self._at_work if future.done()]:
            episode = self._at_work.pop(done)
            episode.stepping = False
            episode.hear(done.result())

    def _start(self, episode: Episode, act: Callable[[], Mapping[str, float]]) -> None:
        if not (self._asynchronous or episode.world.waits):
            episode.hear(act())
            return
        episode.stepping = True
        self._at_work[self._threads.submit(act)] = episode

    def __enter__(self) -> "EnvStepper":
        return self

    def __exit__(self, *error: object) -> None:
        # After an error, too, no thread may go on using worlds that the caller will close.
        self._threads.shutdown(cancel_futures=True)
