"""Checks of the scores of answers: the right one, fitting ones, wrong ones, and one constant."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from zerogym.benchmarks.auditing.subject import (
    Finding,
    ProblemSet,
    Size,
    Status,
    Subject,
    always,
    finish,
    inside,
    oracle,
)

MAX_FLOOR = 0.1
MAX_BINARY_FLOOR = 0.5
COMMON = ("", "0", "1", "2", "-1", "yes", "no", "true", "false", "none", "[]", "infeasible", "a")
FINALISTS = 3  # constant answers measured again, for each category and over all
MOST_FITTING = 50  # answers of one problem that are scored
MIN_GROUP = 40  # problems of a category before its floor is judged


def own_answer(subject: Subject, size: Size) -> Finding:
    """The environment's own answer must have a score of 1."""
    problems = ProblemSet(subject, range(size.problems))
    if problems.own[0] is None:
        return Finding("own answer", "skip", "it offers no oracle_action()")
    scores = problems.scores(oracle)
    worst = int(np.argmin(scores))
    status: Status = "pass" if scores[worst] == 1.0 else "fail"
    message = f"{np.mean(scores):.3g} on average; worst {scores[worst]:.3g} at seed {worst}"
    return Finding("own answer", status, message, {"mean": float(np.mean(scores)), "worst": worst})


def wrong_answers(subject: Subject, size: Size) -> Finding:
    """The environment's own distractors must score below 1, other changes at most 0.5 on average.

    A changed answer may be right by luck (another valid plan), so only their mean counts.
    """
    problems = ProblemSet(subject, range(size.problems))
    if problems.own[0] is None:
        return Finding("wrong answers", "skip", "it offers no oracle_action()")
    if problems.score(0, oracle) != 1.0:
        return Finding("wrong answers", "skip", "its own answer does not pay 1")
    rng = np.random.default_rng(0)
    changed, accepted, distractors = [], [], 0
    for index in range(len(problems)):
        for text in perturbed(problems.own[index] or "", rng):
            changed.append(problems.score(index, always(text)))
        problems.env.reset(seed=problems.seeds[index])
        offered: Sequence[str] = getattr(problems.env.unwrapped, "distractor_actions", tuple)()
        distractors += len(offered)
        for text in offered:
            if problems.score(index, always(text)) >= 1.0:
                accepted.append(text)
    mean = float(np.mean(changed)) if changed else 0.0
    status: Status = "fail" if accepted or mean > 0.5 else "pass"
    message = f"changed answers earn {mean:.2g}; {len(accepted)} of {distractors} distractors pay 1"
    return Finding("wrong answers", status, message, {"mean": mean, "distractors paid": accepted})


def perturbed(reply: str, rng: np.random.Generator) -> Iterator[str]:
    """A reply with its end cut off, twice, with a word more, a changed digit, swapped words."""
    before, answer, behind = inside(reply)
    digits = [place for place, c in enumerate(answer) if c in "0123456789"]
    made = [answer[:-1], f"{answer} {answer}", f"{answer} 7"]
    if digits:
        place = digits[int(rng.integers(len(digits)))]
        digit = (int(answer[place]) + int(rng.integers(1, 10))) % 10
        made.append(f"{answer[:place]}{digit}{answer[place + 1 :]}")
    words = answer.split(" ")
    places = [n for n in range(len(words) - 1) if words[n] != words[n + 1]]
    if places:
        n = places[int(rng.integers(len(places)))]
        made.append(" ".join([*words[:n], words[n + 1], words[n], *words[n + 2 :]]))
    for text in made:
        if text.strip() != answer.strip():
            yield f"{before}{text}{behind}"


def fitting_answers(subject: Subject, size: Size) -> Finding:
    """Every answer that fits all that a problem shows must have a score of 1.

    For tasks whose rule is to be found. They offer `fitting_actions()`, which yields replies by an
    enumeration that does not use the hidden rule.
    """
    env = subject.make()
    problems, offered, refused = 0, 0, []
    for seed in range(size.problems):
        env.reset(seed=seed)
        fitting: Iterable[str] = getattr(env.unwrapped, "fitting_actions", tuple)()
        replies = list(islice(fitting, MOST_FITTING))
        problems += bool(replies)
        offered += len(replies)
        for reply in replies:
            env.reset(seed=seed)
            score = finish(env, always(reply)).score
            if score < 1.0:
                refused.append({"seed": seed, "answer": inside(reply)[1][:200], "score": score})
    if not offered:
        return Finding("fitting answers", "skip", "it offers no fitting_actions()")
    message = f"{len(refused)} of {offered} fitting answers to {problems} problems score below 1"
    message += f"; seed {refused[0]['seed']}: {refused[0]['answer']!r}" if refused else ""
    measured = {"problems": problems, "offered": offered, "refused": refused}
    return Finding("fitting answers", "fail" if refused else "pass", message, measured)


def constant_answer(subject: Subject, size: Size) -> Finding:
    """Measure the best answer that ignores the question, on problems it was not chosen on.

    At most 0.1, at most a half where there are only two answers; and three standard errors, since
    a category has few of the problems.
    """
    problems = ProblemSet(subject, range(size.shortlist))
    own = [text for text in problems.own if text is not None]
    if own and problems.score(0, oracle) != 1.0:
        return Finding("constant answer", "skip", "its own answer does not pay 1")
    frame = inside(own[0]) if own else ("", "", "")
    wrapped = [f"{frame[0]}{text}{frame[2]}" for text in COMMON]
    candidates = list(dict.fromkeys([*own, *wrapped]))[: size.constants]
    fresh = ProblemSet(subject, range(10_000, 10_000 + size.floor))
    return _judge_floors(fresh, _finalists(problems, candidates))


def _groups(problems: ProblemSet) -> dict[str, list[int]]:
    """The problems of each category."""
    groups: dict[str, list[int]] = defaultdict(list)
    for index, info in enumerate(problems.infos):
        groups[str(info.get("category", ""))].append(index)
    return groups


def _finalists(problems: ProblemSet, candidates: list[str]) -> list[str]:
    """The candidates with the highest scores, over all problems and in each category."""
    scores = np.array([problems.scores(always(text)) for text in candidates])
    chosen: dict[str, None] = {}
    for members in (list(range(len(problems))), *_groups(problems).values()):
        order = np.argsort(-scores[:, members].sum(axis=1), kind="stable")
        chosen |= dict.fromkeys(candidates[n] for n in order[:FINALISTS])
    return list(chosen)


def _judge_floors(problems: ProblemSet, finalists: list[str]) -> Finding:
    groups = _groups(problems)
    scores = {text: problems.scores(always(text)) for text in finalists}
    floors, too_high = {}, []
    for category, members in sorted(groups.items()):
        means = {text: float(np.mean([scores[text][i] for i in members])) for text in finalists}
        text = max(finalists, key=lambda one: means[one])
        binary = len({problems.own[i] for i in members}) <= 2
        fair = MAX_BINARY_FLOOR if binary else MAX_FLOOR
        limit = fair + 3 * (fair * (1 - fair) / len(members)) ** 0.5
        floors[category] = {"mean": means[text], "answer": inside(text)[1][:80], "binary": binary}
        if means[text] > limit and len(members) >= MIN_GROUP:
            too_high.append(category)
    overall = max(float(np.mean(values)) for values in scores.values())
    judged = {category: floors[category] for category in too_high} or floors
    worst = max(judged.values(), key=lambda floor: float(str(floor["mean"])))
    message = (
        f"{overall:.2g} for one answer to everything; {worst['answer']!r} earns {worst['mean']:.2g}"
    )
    message += f" in {', '.join(too_high)}" if too_high != [""] and too_high else ""
    measured = {"overall": overall, "categories": floors, "problems": len(problems)}
    return Finding("constant answer", "fail" if too_high else "pass", message, measured)
