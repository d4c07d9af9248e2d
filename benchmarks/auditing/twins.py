"""Check that no test problem is a train problem with other names, or in another order.

Which problems are equal is decided on their texts alone, see `canonical`. The answers are the
control: equal problems have equal answers, up to the same names. Problems that would be equal but
have different answers are not counted, and where that is the rule, order matters to the task and
only names are replaced.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from zerogym.benchmarks.auditing.canonical import (
    Form,
    common_words,
    form_up_to_names,
    form_up_to_order,
    rough_form,
)
from zerogym.benchmarks.auditing.examples import Example, draw_sides
from zerogym.benchmarks.auditing.subject import Finding, Size, Subject

# A model that knows all train problems by heart gains at most this on the test side: less than
# the standard error of a test of 500 problems, which is 2.2 % at a half.
MAX_SHARE = 0.02
FEW = 10  # the size of the space is reported if it is below as many times the problems drawn

Former = Callable[[str, str, set[str]], Form]


def overlap_up_to_names(subject: Subject, size: Size) -> Finding:
    """At most 2 % of the test side may be train problems up to names and order.

    Looks at the lowest and at the default difficulty.
    """
    levels: dict[str, dict[str, Any]] = {"default": {}}
    if subject.takes("difficulty", 0.0):
        levels["difficulty 0"] = {"difficulty": 0.0}
    found = {}
    for level, extra in levels.items():
        found[level] = compare(*draw_sides(subject, size.side, size.floor, **extra))
    worst = max(found, key=lambda level: float(found[level]["share"]))
    share, space = found[worst]["share"], found[worst]["space"]
    kinds = "names and order" if found[worst]["order ignored"] else "names"
    message = f"{share:.1%} of the test side are train problems up to {kinds} ({worst}"
    message += ")" if space is None else f"; a space of about {space:,.0f})"
    return Finding(
        "overlap up to names", "fail" if share > MAX_SHARE else "pass", message, {"levels": found}
    )


def compare(train: Sequence[Example], test: Sequence[Example]) -> dict[str, Any]:
    """Measure the share of the test side that is on the train side, and the size of the space.

    Returns:
        JSON values: `share`; `dropped`, the share whose answers differ from those of its train
        problems; `order ignored`; `space`, from the repetitions on the train side, None if large.
    """
    common = common_words([example.prompt for example in train])
    ignored = True
    share, dropped, space = _shared(train, test, common, form_up_to_order)
    if dropped > share:
        ignored = False
        share, dropped, space = _shared(train, test, common, form_up_to_names)
    return {
        "share": share, "dropped": dropped, "order ignored": ignored, "space": space,
        "train": len(train), "test": len(test),
    }  # fmt: skip


def _shared(
    train: Sequence[Example], test: Sequence[Example], common: set[str], former: Former
) -> tuple[float, float, float | None]:
    """Share of the test side that is in the train side, share with other answers, space."""
    rough = {example: rough_form(example.prompt, common) for example in chain(train, test)}
    repeated = Counter(rough[example] for example in chain(train, test))
    forms: dict[Example, Form] = {}  # of those that may be equal to another one
    answers: dict[str, set[str]] = defaultdict(set)
    for example in chain(train, test):
        if repeated[rough[example]] > 1 and example not in forms:
            form = forms[example] = former(example.prompt, example.answer, common)
            answers[form.prompt].add(form.answer)
    counts = Counter(forms[example].prompt for example in train if example in forms)
    met = [forms[one].prompt for one in test if one in forms and forms[one].prompt in counts]
    agreed = sum(len(answers[prompt]) == 1 for prompt in met)
    pairs = sum(n * (n - 1) for prompt, n in counts.items() if len(answers[prompt]) == 1)
    space = len(train) * (len(train) - 1) / pairs if pairs else None
    if space is not None and space >= FEW * len(train):
        space = None
    return agreed / len(test), (len(met) - agreed) / len(test), space
