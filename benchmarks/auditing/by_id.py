"""The audit of environments by their ids: the function that `zerogym.benchmarks` exports."""

from collections.abc import Callable, Sequence

from zerogym.benchmarks.auditing.checks import CHECKS
from zerogym.benchmarks.auditing.runner import Report
from zerogym.benchmarks.auditing.runner import audit as run
from zerogym.benchmarks.auditing.subject import QUICK, Finding, Size, Subject
from zerogym.envs.lookup import find_task
from zerogym.envs.processors import processors
from zerogym.errors import UnknownName

SECONDS = 120.0


def audit(
    ids: str | Sequence[str],
    checks: Sequence[str] = (),
    quick: bool = False,
    seconds: float = SECONDS,
    processes: int = 0,
    on_finding: Callable[[Report, Finding], None] | None = None,
) -> list[Report]:
    """Audit text environments: scores of right, wrong and hostile replies, and determinism.

    Each environment is audited in a process of its own, which is killed when a check hangs.

    Args:
        ids: Gymnasium ids, `module:id` to import a module first, with arguments as
            `ID?name=value&...`; of our own tasks the bare name is enough.
        checks: Names of the checks to run; by default all.
        quick: Draw less: seconds for each id instead of minutes.
        seconds: Wall time for one check.
        processes: Ids at once; 0: one a core.
        on_finding: Called with each finding as it is made, from several threads.

    Returns:
        A report for each id: `clean`, and `findings` with their numbers.

    Raises:
        UnknownName: If there is no such check, or no such task of ours.

    Example:
        >>> from zerogym.benchmarks import audit
        >>> [report] = audit("Countdown?difficulty=0", checks=["own answer"], quick=True)
        >>> report.of("own answer").status
        'pass'
    """
    for name in checks:
        if name not in CHECKS:
            raise UnknownName("check", name, list(CHECKS))
    subjects = [subject_of(text) for text in ([ids] if isinstance(ids, str) else ids)]
    return run(
        subjects, QUICK if quick else Size(), seconds, processes or processors(),
        on_finding or (lambda report, finding: None),
        [name for name in CHECKS if name in checks] if checks else list(CHECKS),
    )  # fmt: skip


def subject_of(text: str) -> Subject:
    """Return an id as it stands if it has a namespace; else one of our tasks, by any spelling."""
    name, mark, query = text.partition("?")
    full = name if "/" in name or ":" in name or "-v" in name else find_task(name).id
    return Subject.parse(f"{full}{mark}{query}")
