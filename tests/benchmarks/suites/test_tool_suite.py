"""The suite of worlds with tools: complete, and its short plan is one call short."""

from helpers.tools.move_coin import MoveCoin
from zerogym.agents.baselines.scripted import ShortPlanPolicy
from zerogym.benchmarks.suites.tool_suite import TOOLS
from zerogym.envs.registry import TASKS


def test_every_world_with_tools_is_in_the_suite():
    several_turns = {
        t.id for t in TASKS if t.target.startswith("tools.") and "multi-turn" in t.tags
    }
    assert several_turns - {"zerogym/Notebook-v0"} == {world.env_id for world in TOOLS.worlds}


def test_the_short_plan_makes_all_calls_but_the_last():
    env = MoveCoin()
    policy = ShortPlanPolicy([env])
    env.reset(seed=0)
    calls = [policy.predict([""])[0][0]]
    env.step(calls[0])
    calls.append(policy.predict([""])[0][0])
    assert calls == ["<take>left</take>", "<answer>unknown</answer>"]
