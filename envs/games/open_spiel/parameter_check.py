"""Games of OpenSpiel are tried in another process first, because wrong parameters can end one.

Some of its games do not check their parameters, and then end the whole process without an error
that Python could catch. So one that has parameters is loaded, dealt, looked at and played for some
moves by a process of its own (a tenth of a second), once for each name with parameters. Left out:
crashes that only other moves bring about.
"""

import subprocess
import sys
from functools import lru_cache

SECONDS = 20  # of the trial
PROGRAM = """
import resource, sys, pyspiel
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # if what started it is killed
game = pyspiel.load_game(sys.argv[1])
kind = game.get_type()
names = "observation_string", "observation_tensor", "information_state_string"
views = [name for name in names if getattr(kind, "provides_" + name)]
state = game.new_initial_state()
for turn in range(50):
    str(state), [getattr(state, view)(0) for view in views if not state.is_chance_node()]
    if state.is_terminal() or state.is_simultaneous_node():
        break
    actions = state.legal_actions()
    state.apply_action(actions[turn % len(actions)])
"""


@lru_cache(maxsize=1024)
def crash_of(game: str) -> str | None:
    """The way in which OpenSpiel's game of this name ends a process; None if it does not.

    What Python can catch is no crash: the caller gets that error from the game itself.
    """
    if "(" not in game:
        return None
    try:
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM, game],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it does not come to its first moves in {SECONDS} seconds"
    if run.returncode < 0:  # minus the signal
        return f"with these parameters it ends the process (signal {-run.returncode})"
    return None
