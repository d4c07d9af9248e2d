"""Check that a classifier that cannot reason does no better than one constant answer.

For questions with few possible answers (yes or no, a choice, a small label). A logistic regression
over the words of a prompt, or of a part of it, learns from problems of the train side and answers
those of the test side. Where it beats every constant answer, the answer shows in the words, and a
model may learn that in place of the reasoning.

Left out: questions with open answers, and classifiers that build features of their own.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import comb
from statistics import NormalDist
from typing import Any

import numpy as np

from zerogym.benchmarks.auditing.examples import Example, draw_examples, draw_sides
from zerogym.benchmarks.auditing.subject import Finding, Size, Subject
from zerogym.benchmarks.auditing.views import Views

MOST_LABELS = 12
PROBE = 100  # problems from which the kinds with few answers are found
LEAST_DRAWN = 10  # of them of a kind, for it to be judged
FALSE_ALARM = 1e-3  # chance that an environment without a shortcut is flagged
MOST_FEATURES = 2000  # the most frequent ones
RIDGE = 1.0
STEPS = 150

Features = Sequence[set[str]]


def shortcut(subject: Subject, size: Size) -> Finding:
    """No classifier may beat the best constant answer by more than chance explains.

    Nor with its two answers exchanged: where what is true of the train side is false on the test
    side, the words tell the answer as well. The difference is judged by an exact sign test over
    the test problems in which just one of the two is right, at a level of 1 in 1000 divided by the
    number of comparisons.
    """
    kinds = _kinds_with_few_answers(draw_examples(subject, 1, PROBE))
    if not kinds:
        return Finding("shortcut", "skip", f"no questions with at most {MOST_LABELS} answers")
    sides = draw_sides(subject, size.learnt, size.judged)
    results: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        train, test = ([one for one in side if one.category == kind] for side in sides)
        for name, result in classify(train, test).items():
            results[f"{kind}: {name}".removeprefix(": ")] = result
    if not results:
        return Finding("shortcut", "skip", "one answer only")
    level = FALSE_ALARM / len(results)
    width = NormalDist().inv_cdf(1 - level)
    for result in results.values():
        result["interval"] = width * result["error"]
    found = [name for name, result in results.items() if result["chance"] < level]
    best = max(found or results, key=lambda name: results[name]["gain"])
    one = results[best]
    message = (
        f"{one['right']:.2f} from {best}, {one['constant']:.2f} for a constant answer "
        f"(the difference is +-{one['interval']:.2f})"
    )
    measured = {"classifiers": results, "flagged": found, "best": best}
    return Finding("shortcut", "fail" if found else "pass", message, measured)


def _kinds_with_few_answers(examples: Sequence[Example]) -> list[str]:
    answers: dict[str, list[str]] = defaultdict(list)
    for example in examples:
        answers[example.category].append(_label(example))
    return sorted(
        kind
        for kind, labels in answers.items()
        if len(labels) >= LEAST_DRAWN and "" not in labels
        and len(set(labels)) <= min(MOST_LABELS, len(labels) // 2)
    )  # fmt: skip


def _label(example: Example) -> str:
    return example.answer.strip().casefold()


def classify(train: Sequence[Example], test: Sequence[Example]) -> dict[str, dict[str, Any]]:
    """Measure a classifier for each view, and with its answers exchanged where there are two.

    Returns:
        JSON values, none if there is one answer only: `right`, the share of right answers on the
        test side; `constant`, that of the answer that is right most often there; their difference
        `gain`; its standard `error`; the `chance` of so much if the two are equally good.
    """
    labels = [label for label, _ in Counter(map(_label, train)).most_common(MOST_LABELS)]
    if len(labels) < 2 or not test:
        return {}
    views = Views.learn([example.prompt for example in train], labels)
    numbers = {label: number for number, label in enumerate(labels)}
    learnt, expected = (
        np.array([numbers.get(_label(one), -1) for one in side]) for side in (train, test)
    )
    shown = [[views.of(example.prompt) for example in side] for side in (train, test)]
    # Chosen on the test side itself: the classifier has to beat the best of the constants.
    constant = expected == np.bincount(expected[expected >= 0], minlength=1).argmax()
    results = {}
    for view in shown[0][0]:
        x, z = matrices(*([features[view] for features in side] for side in shown))
        given = predict(x[learnt >= 0], learnt[learnt >= 0], z, len(labels))
        results[view] = _compared(given == expected, constant)
        if len(labels) == 2:
            results[f"{view}, exchanged"] = _compared(1 - given == expected, constant)
    return results


def _compared(right: np.ndarray, constant: np.ndarray) -> dict[str, Any]:
    better, worse = int((right & ~constant).sum()), int((constant & ~right).sum())
    count, differ = len(right), better + worse
    at_least = sum(comb(differ, number) for number in range(better, differ + 1))
    return {
        "right": float(right.mean()),
        "constant": float(constant.mean()),
        "gain": (better - worse) / count,
        "error": differ**0.5 / count,
        "chance": at_least / 2**differ,
        "problems": count,
    }


def matrices(train: Features, test: Features) -> tuple[np.ndarray, np.ndarray]:
    """One row for each problem: 1 for each feature that it has, of those that come in two."""
    counts = Counter(feature for features in train for feature in features)
    kept = sorted(counts, key=lambda feature: (-counts[feature], feature))[:MOST_FEATURES]
    columns = {feature: n for n, feature in enumerate(kept) if counts[feature] > 1}
    found = []
    for side in (train, test):
        matrix = np.zeros((len(side), len(columns) + 1), np.float32)
        matrix[:, -1] = 1.0
        for row, features in enumerate(side):
            matrix[row, [columns[one] for one in features if one in columns]] = 1.0
        found.append(matrix)
    return found[0], found[1]


def predict(x: np.ndarray, labels: np.ndarray, z: np.ndarray, classes: int) -> np.ndarray:
    """Fit a logistic regression by gradient descent with momentum; return its answers for `z`."""
    expected = np.eye(classes, dtype=np.float32)[labels]
    ridge = RIDGE / len(x)
    step = 1 / (0.5 * float(np.mean(np.sum(x**2, axis=1))) + ridge)  # below 1 / curvature
    weights = np.zeros((x.shape[1], classes), np.float32)
    velocity = np.zeros_like(weights)
    for _ in range(STEPS):
        logits = x @ weights
        found = np.exp(logits - logits.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        gradient = x.T @ (found - expected) / len(x) + ridge * weights
        velocity = 0.9 * velocity - step * gradient
        weights += velocity
    return np.argmax(z @ weights, axis=1)
