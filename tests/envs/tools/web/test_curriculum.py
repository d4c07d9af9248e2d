"""A start near the goal makes a form learnable (QWeb's warm start), on one form with one learner.

QWeb's learner is a deep network over many instructions; here it is a table over the states of one
form, so that only the start differs. Neither rewards nor numbers of episodes do.
"""

import numpy as np
import pytest

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.web.env import WebEnv

STAGES = (0.75, 0.5, 0.25, 0.0)  # share of the four steps that is done before the start
EPISODES = 300  # of each stage
EXPLORED, DISCOUNT = 0.3, 0.9
LAST = 8  # turns of an episode

State = tuple[str, str, tuple[tuple[int, str], ...]]


def state_of(env: WebEnv) -> State:
    browser = env._running().state
    return browser.url, repr(browser.data), tuple(sorted(browser.edits.items()))


def replies(env: WebEnv) -> list[str]:
    """Return the replies to choose from: each value into each field, each click, the end."""
    browser, tools = env._running().state, env._tools()
    values = [act.value for act in browser.site.acts() if act.tool == "type"]
    made = ["<answer>done</answer>"]
    for number, node in enumerate(browser.page.elements, 1):
        calls = [Call("click", {"element": number})]
        if node.tag == "text":
            calls = [Call("type", {"element": number, "text": value}) for value in values]
        made += [env.format.write(tools[call.tool], call.arguments) for call in calls]
    return made


class Learner:
    """Q-learning over a table; the form is deterministic, so that the step size is 1."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(1000 + seed)
        self.values: dict[State, dict[str, float]] = {}

    def play(self, env: WebEnv, seed: int, explored: float) -> float:
        env.reset(seed=seed)
        reward = 0.0
        for _ in range(LAST):
            state = state_of(env)
            if state not in self.values:
                self.values[state] = dict.fromkeys(replies(env), 0.0)
            known = self.values[state]
            highest = max(known.values())
            explores = self.rng.random() < explored
            pool = [one for one, value in known.items() if explores or value == highest]
            reply = pool[int(self.rng.integers(len(pool)))]
            _, reward, over, _, _ = env.step(reply)
            then = self.values.get(state_of(env), {}) if not over else {}
            known[reply] = reward if over else DISCOUNT * max(then.values(), default=0.0)
            if over:
                break
        return reward


def trained(seed: int, stages: tuple[float, ...]) -> float:
    """Return the greedy success from the first step on after the same number of episodes."""
    learner = Learner(seed)
    for done in stages:
        env = WebEnv(category="form", done=done)
        for _ in range(EPISODES):
            learner.play(env, seed, EXPLORED)
    return learner.play(WebEnv(category="form"), seed, 0.0)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(5))
def test_a_start_near_the_goal_is_learned_from_and_a_start_far_away_is_not(seed: int) -> None:
    env = WebEnv(category="form")
    env.reset(seed=seed)
    assert len(env.expert_plan()) == 4  # three fields and a button
    assert trained(seed, STAGES) == 1.0
    assert trained(seed, (0.0,) * len(STAGES)) == 0.0
