"""Steps of a rollout's environments: at once, or side by side in threads where they wait.

Threads run an environment's `reset` and `act` and nothing else. Whatever the order in which steps
end, what follows from them happens in the caller's thread: tokenizers are not made for several.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

from zerogym.agents.llm.rollout.episode import Episode

MAX_THREADS = 64


class EnvStepper:
    """Steps that are under way.

    The steps of an environment that `waits` are taken in threads, at most 64 at once; those of the
    others cost less than a thread, and are taken in the caller's.

    Args:
        asynchronous: Take every step in a thread, and do not wait for all before going on.
    """

    def __init__(self, asynchronous: bool) -> None:
        self._asynchronous = asynchronous
        self._threads = ThreadPoolExecutor(MAX_THREADS, "rollout")  # made when needed
        self._running: dict[Future[Mapping[str, float]], Episode] = {}  # in order of their start

    def reset(self, episode: Episode) -> None:
        """Start an episode."""
        self._start(episode, episode.begin)

    def act(self, episode: Episode, text: str) -> None:
        """Start the step for a reply."""
        self._start(episode, partial(episode.env.act, text))

    def settle(self, idle: bool = False) -> None:
        """Pass the results of steps that have ended to their episodes; raises what a step raised.

        Waits for all of them; asynchronously for none, or for one if there is nothing else to do
        (`idle`).
        """
        if not self._asynchronous:
            wait(self._running)
        elif idle:
            wait(self._running, return_when=FIRST_COMPLETED)
        for done in [future for future in self._running if future.done()]:
            episode = self._running.pop(done)
            episode.stepping = False
            episode.observe(done.result())

    def _start(self, episode: Episode, act: Callable[[], Mapping[str, float]]) -> None:
        if not (self._asynchronous or episode.env.waits):
            episode.observe(act())
            return
        episode.stepping = True
        self._running[self._threads.submit(act)] = episode

    def __enter__(self) -> "EnvStepper":
        return self

    def __exit__(self, *error: object) -> None:
        # After an error, too, no thread may go on using environments that the caller will close.
        self._threads.shutdown(cancel_futures=True)
