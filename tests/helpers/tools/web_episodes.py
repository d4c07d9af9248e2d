"""Recorded episodes on generated sites, to be made again by other browsers."""

import numpy as np

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.web.browser import Browser
from zerogym.envs.tools.web.env import WebEnv
from zerogym.envs.tools.web.site import Site


def record(category: str, seed: int, expert: bool) -> tuple[Site, list[Call], Browser]:
    """Play an episode; return the site, the calls that were made, and the browser at the end."""
    env, rng, over = WebEnv(category=category, elements=12), np.random.default_rng(seed + 90), False
    env.reset(seed=seed)
    while not over:
        action = env.oracle_action() if expert else env.random_action(rng)
        _, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    episode = env._running()
    return episode.problem, episode.log, episode.state
