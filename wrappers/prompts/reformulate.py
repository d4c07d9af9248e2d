"""Hard problems in easier forms first: `Reformulate`."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Literal, get_args

import gymnasium as gym
import numpy as np

from zerogym.envs.reasoning.answers import extract_answer
from zerogym.envs.reasoning.core import ReasoningEnv
from zerogym.envs.reasoning.draws import sample_of
from zerogym.errors import UnknownName
from zerogym.wrappers.conversion.multiple_choice import LETTERS, draw_options, listed
from zerogym.wrappers.core import Options, Start, Step, TextWrapper, current_problem

Form = Literal["mcq4", "mcq10", "cloze", "open"]
FORMS: tuple[Form, ...] = get_args(Form)
_OPTIONS = {"mcq4": 4, "mcq10": 10}
_REMEMBERED = 100_000  # problems, the latest


@dataclass
class _Turns:
    form: Form
    key: str
    options: list[str]
    pinned: bool  # by an option of `reset`: no part of the progress


@dataclass
class Progress:
    """The progress of a problem: its form, and tries and successes in that form."""

    level: int = 0
    tries: int = 0
    passes: int = 0


class Reformulate(TextWrapper):
    """Poses each problem as multiple choice, then with gaps in the answer, then as it is.

    A problem starts in the first form and moves to the next one when, in its present form, at
    least `tries` replies were given and the share of right ones is `promote_at` or more. In a
    multiple choice the letter or the option itself is right; in the other forms the task's own
    scorer decides. `info["form"]` names the form. `reset(options={"form": "cloze"})` poses a
    problem in that form and leaves the progress alone: then it is kept elsewhere, for many copies
    of the environment.

    Args:
        env: A reasoning environment.
        forms: Some of `mcq4`, `mcq10`, `cloze`, `open`, from easy to hard.
        promote_at: Share of right replies that promotes a problem, in (0, 1].
        tries: Replies before a problem can be promoted, at least 1.

    Raises:
        TypeError: If `env` is no reasoning environment.
        ValueError: If an argument is out of its range.

    Example:
        >>> import zerogym
        >>> env = Reformulate(gym.make("zerogym/RandomCalculation-v0", difficulty=0), tries=1)
        >>> print(env.reset(seed=2)[0])
        Calculate 8 - 3.
        A) 5
        B) -5
        C) 6
        D) 4
        Give the letter of the right answer as <answer>...</answer>.
        >>> env.step("<answer>A</answer>")[1], env.reset(seed=2)[1]["form"]
        (1.0, 'mcq10')

    Source:
        "Cog-DRIFT: Exploration on Adaptively Reformulated Instances Enables Learning from Hard
        Reasoning Problems" (2026): the four forms and promotion by instance. How many letters a
        cloze hides (half, at least one) and the number of tries are our choice.
    """

    needs = ("get_state", "set_state")

    def __init__(
        self,
        env: gym.Env[Any, Any],
        forms: tuple[Form, ...] = FORMS,
        promote_at: float = 0.5,
        tries: int = 8,
    ) -> None:
        super().__init__(env, forms=forms, promote_at=promote_at, tries=tries)
        if not isinstance(env.unwrapped, ReasoningEnv):
            raise TypeError(f"Reformulate needs a reasoning environment, got {env}")
        if not forms or not set(forms) <= set(FORMS) or tries < 1 or not 0 < promote_at <= 1:
            raise ValueError(f"forms are some of {FORMS}, tries >= 1 and 0 < promote_at <= 1")
        self.task, self.forms = env.unwrapped, tuple(forms)
        self.promote_at, self.tries = promote_at, tries
        self.progress: OrderedDict[str, Progress] = OrderedDict()
        self.allow_longer_observations()

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a problem and pose it in its present form, or in that of the options."""
        others = {name: value for name, value in (options or {}).items() if name != "form"}
        pinned = None if options is None else options.get("form")
        if pinned is not None and pinned not in FORMS:
            raise UnknownName("form", pinned, list(FORMS))
        prompt, info = self.env.reset(seed=seed, options=others or None)
        problem = current_problem(self)
        key = problem.canonical or problem.prompt
        form: Form = pinned or self.forms[self._progress(key).level]
        shown: list[str] = []
        if form in _OPTIONS:
            shown = draw_options(self.task, problem, _OPTIONS[form], self.np_random)
            request = "Give the letter of the right answer as <answer>...</answer>."
            prompt = f"{problem.prompt}\n{listed(shown)}\n{request}"
        elif form == "cloze":
            gaps = with_gaps(problem.answer, self.np_random)
            prompt = f"{problem.prompt}\nThe answer is {gaps} with characters missing.\n"
            prompt += self.task.answer_request
        self._memory = _Turns(form, key, shown, pinned is not None)
        return prompt, info | {"form": form}

    def step(self, action: str) -> Step:
        """Score the reply and record whether the problem is mastered in this form."""
        turns: _Turns = self._memory
        reply = self._option(action) if turns.options and isinstance(action, str) else action
        observation, reward, terminated, truncated, info = self.env.step(reply)
        progress = self._progress(turns.key)
        if not turns.pinned and self.forms[progress.level] == turns.form:
            progress.tries += 1
            progress.passes += info["score"] == 1.0
            mastered = progress.passes >= self.promote_at * progress.tries
            if mastered and progress.tries >= self.tries and progress.level + 1 < len(self.forms):
                self.progress[turns.key] = Progress(progress.level + 1)
        return observation, float(reward), terminated, truncated, info | {"form": turns.form}

    def _option(self, action: str) -> str:
        """Return the option of a letter, as an answer; any other reply as it is."""
        answer = extract_answer(action)[0].strip("() .")
        place = LETTERS.find(answer.upper()) if len(answer) == 1 else -1
        if 0 <= place < len(self._memory.options):
            return f"<answer>{self._memory.options[place]}</answer>"
        return action

    def _progress(self, key: str) -> Progress:
        progress = self.progress.setdefault(key, Progress())
        self.progress.move_to_end(key)
        while len(self.progress) > _REMEMBERED:
            self.progress.popitem(last=False)
        return progress


def with_gaps(answer: str, rng: np.random.Generator) -> str:
    """Replace half of an answer's letters and digits (at least one) by `_`."""
    places = [n for n, c in enumerate(answer) if c.isalnum()]
    hidden = set(sample_of(rng, places, max(1, len(places) // 2)))
    return "".join("_" if n in hidden else c for n, c in enumerate(answer))
