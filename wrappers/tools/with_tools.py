"""Tools for any text environment: `WithTools`.

Left out: calls in `render` (it shows the environment's own episode), several replies at a time.
"""

import copy
import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

import gymnasium as gym

from zerogym.envs.reasoning.answers import extract_answer
from zerogym.envs.spaces import Utf8Text
from zerogym.envs.tools.calls import Call, get_format
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool_turns import ANSWER_NOT_READ, MAX_BLOCK, ToolTurns, run_calls
from zerogym.envs.tools.toolbox import ToolLike, make_tool
from zerogym.wrappers.core import Options, Start, Step, TextWrapper

CALL_TOO_MANY = "The episode has ended: no calls were left, and the reply was another call."
UNAVAILABLE = "The episode has ended: a tool is not available."
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Keys of an environment's info that are still true when a tool has been called.
_LASTING = (
    "difficulty", "category", "split", "turn", "seat", "action_mask", "tool_calls",
    "failed_calls", "cost", "sandbox",
)  # fmt: skip
_NOTES = 1000  # characters of all that stands beside results


class WithTools(TextWrapper):
    """Tools for an environment: replies with calls get their results, other replies are answers.

    The first observation is the environment's, followed by how the tools are called. The calls of a
    reply are run in their order; the next observation is their results, the reward is 0, and the
    environment is not stepped. A reply without a call goes to the environment as it is. What is a
    call, and what only looks like one, is defined in `zerogym.envs.tools.calls`.

    A malformed call takes one of the `max_calls` too, and its result says what is wrong with it.
    When no calls are left the reply must be the answer: another call truncates the episode without
    reward. An answer in the same reply as a call is not read, since the model could not know the
    result; the observation says so. `submit` turns its argument into the reply
    `<answer>...</answer>`; it needs no call, and counts only as the first call of a reply.

    `info` has `tool_calls` and `cost` (CPU seconds) so far, those of the environment included,
    `sandbox` (the weakest level that programs run at, if any run), and `void_turn`:
    the reply was neither a well-formed call nor an answer. What an answer is, the environment's own
    `void_turn` or `answer_format` (`tag`, `boxed`) says; where it has neither, every reply without
    a call is one. `feedback` says what was wrong with calls. If a tool fails by itself, for example
    because the sandbox does, the episode is truncated with `info["unavailable"]` and without a
    score: it says nothing about the model.

    Args:
        env: Any text environment; several turns are fine.
        tools: Names (`zerogym.envs.tools.toolbox.TOOLS`), pairs of a name and arguments, or `Tool`
            objects of its own. Names and pairs leave the spec of the environment JSON.
        max_calls: Most calls of an episode, at least 1.
        format: How calls are written: `tag`, `fence` or `json`.

    Raises:
        UnknownName: If there is no such tool or format.
        ValueError: If two tools share a name, a name means something else in this format, there are
            no tools, or `max_calls` is below 1.
        SandboxUnavailable: In `reset`, if a tool needs a sandbox that this machine cannot hold.

    Example:
        >>> import zerogym
        >>> env = WithTools(gym.make("zerogym/RandomCalculation-v0", difficulty=4), ["calculator"])
        >>> print(env.reset(seed=1)[0].splitlines()[0])
        Calculate 7 - (41 + 47) - 43 - (13 - 41).
        >>> print(env.step("<calculator>7 - (41 + 47) - 43 - (13 - 41)</calculator>")[0])
        <result>
        -96
        </result>
        >>> env.step("<answer>-96</answer>")[1]
        1.0

    Source:
        "VerlTool: Towards Holistic Agentic Reinforcement Learning with Tool Use" (2025): tools as
        plug-ins with state of their own in each trajectory, and their text hidden from the loss
        (here it stands in observations only). `void_turn` is from "SimpleTIR: End-to-End
        Reinforcement Learning for Multi-Turn Tool-Integrated Reasoning" (2025). Counting malformed
        calls, and not reading an answer beside a call, are our choices.
    """

    waits = True  # most tools run a program: rollouts step several environments side by side

    def __init__(
        self,
        env: gym.Env[Any, Any],
        tools: Sequence[ToolLike] = ("python",),
        max_calls: int = 8,
        format: Literal["tag", "fence", "json"] = "tag",
    ) -> None:
        super().__init__(env, tools=tools, max_calls=max_calls, format=format)
        self.format = get_format(format)
        if isinstance(tools, str) or not tools:
            raise ValueError(f"tools is a sequence with at least one tool, got {tools!r}")
        if isinstance(max_calls, bool) or not isinstance(max_calls, int) or max_calls < 1:
            raise ValueError(f"max_calls must be an int >= 1, got {max_calls!r}")
        self.max_calls = max_calls
        self.tools = tuple(make_tool(tool) for tool in tools)
        self._by_name = {tool.name: tool for tool in self.tools}
        names = [tool.name for tool in self.tools]
        for name in names:
            if not _NAME.fullmatch(name) or name in self.format.reserved:
                raise ValueError(f"a tool cannot have the name {name!r} in this format")
            if names.count(name) > 1:
                raise ValueError(f"two tools have the name {name!r}")
        self.announcement = self.format.announce(self.tools, max_calls)
        space = self.env.observation_space
        assert isinstance(space, gym.spaces.Text)
        room = len(self.announcement) + max_calls * MAX_BLOCK + _NOTES
        self.observation_space = Utf8Text(space.max_length + room)

    @property
    def stop_strings(self) -> tuple[str, ...]:
        """The texts at which the generation of a reply may stop, because a call ends there."""
        return self.format.stop_strings(self.tools)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode; what the tools draw follows from the environment's seed."""
        prompt, info = self.env.reset(seed=seed, options=options)
        # A copy is drawn from, so that the environment's next episodes are the same as without.
        rng = copy.deepcopy(self.env.unwrapped.np_random)
        drawn = int(rng.integers(2**31))  # one for all: search and open_page share a world
        states = {tool.name: tool.new_state(drawn) for tool in self.tools}
        self._memory = ToolTurns(states)
        return f"{prompt}\n\n{self.announcement}", {"void_turn": False} | self._counted(info)

    def step(self, action: str) -> Step:
        """Run the calls of the reply, or give it to the environment if there are none."""
        if not isinstance(action, str):
            raise TypeError(f"WithTools takes a str as action, got {type(action).__name__}")
        turns: ToolTurns | None = self._memory
        if turns is None or turns.over:
            raise RuntimeError("WithTools: no episode is running, call reset()")
        found = self.format.find(action, self._by_name)
        if not found:
            return self._answer(action)
        first = found[0]
        if isinstance(first, Call) and isinstance(tool := self._by_name[first.tool], Submit):
            return self._answer(tool.call(first.arguments, None).text)
        if turns.calls >= self.max_calls:
            lost = {"score": 0.0, "correct": False, "success": False, "void_turn": False}
            return self._cut(CALL_TOO_MANY, lost | {"feedback": CALL_TOO_MANY})
        results = run_calls(found, self._by_name, self.format, turns, self.max_calls)
        if extract_answer(action)[1] == "tag" and ANSWER_NOT_READ not in results.notes:
            results.notes.insert(0, ANSWER_NOT_READ)
        info = {"void_turn": not results.made, "feedback": " ".join(results.feedback)}
        if results.unavailable:
            return self._cut(UNAVAILABLE, info | {"unavailable": True})
        return results.text, 0.0, False, False, self._counted(turns.inner) | info

    def close(self) -> None:
        """Close the tools and the environment."""
        for tool in self.tools:
            tool.close()
        super().close()

    def _answer(self, reply: str) -> Step:
        """Step the environment with a reply that is an answer."""
        observation, reward, terminated, truncated, info = self.env.step(reply)
        self._memory.over = terminated or truncated
        readable = info.get("answer_format", "tag") in ("tag", "boxed")
        info = {"void_turn": not readable} | self._counted(info)
        return observation, float(reward), terminated, truncated, info

    def _cut(self, text: str, info: dict[str, Any]) -> Step:
        """End an episode that the environment has not ended."""
        self._memory.over = True
        return text, 0.0, False, True, self._counted(self._memory.inner) | info

    def _counted(self, inner: dict[str, Any]) -> dict[str, Any]:
        """Return the environment's info with the calls and costs so far, its own included."""
        turns: ToolTurns = self._memory
        turns.inner = {key: inner[key] for key in _LASTING if key in inner}
        counted = {
            "tool_calls": turns.calls + inner.get("tool_calls", 0),
            "failed_calls": turns.failed + inner.get("failed_calls", 0),
            "cost": turns.cost + inner.get("cost", 0.0),
        }
        levels = {inner.get("sandbox"), *(tool.sandbox for tool in self.tools)} - {None}
        weakest = max(levels, key=get_args(Level).index, default=None)
        return inner | counted | ({"sandbox": weakest} if weakest else {})
