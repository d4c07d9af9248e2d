"""Questions from a file of one's own, for documents of one's own.

Left out: several right answers that are not spelled alike, and answers of more than a few words.
"""

import json
from functools import lru_cache
from pathlib import Path

from zerogym.envs.tools.search.corpus import Corpus
from zerogym.envs.tools.search.corpus_files import read_corpus
from zerogym.envs.tools.search.questions import SearchProblem


@lru_cache(maxsize=4)
def corpus_at(path: str) -> Corpus:
    """Return the documents of a folder or of a file of JSON lines; a process reads them once."""
    return read_corpus(path)


def read_questions(path: str | Path, corpus: str | Path) -> tuple[SearchProblem, ...]:
    """Read one question a line: an object with `question`, `answer` and, if known, `evidence`.

    `evidence` lists the ids of the documents that hold the answer, which are the pages that the
    expert opens.

    Args:
        path: Of the JSON lines.
        corpus: The path of the documents.

    Raises:
        ValueError: If the file cannot be read, a line is not such an object, an id is not in the
            documents, or there is no question.
    """
    documents = corpus_at(str(corpus))
    try:
        lines = Path(path).read_text("utf-8", "replace").split("\n")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    problems = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            question, answer, evidence = row["question"], row["answer"], row.get("evidence", [])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ValueError(
                f"{path}, line {number}: needs an object with question and answer"
            ) from None
        texts = isinstance(question, str) and isinstance(answer, str) and answer.strip()
        if not texts or not isinstance(evidence, list):
            raise ValueError(
                f"{path}, line {number}: question and answer must be texts, evidence a list of ids"
            )
        for id in evidence:
            if not isinstance(id, str) or id not in documents:
                raise ValueError(f"{path}, line {number}: there is no document {id!r:.80}")
        problems.append(
            SearchProblem(
                question,
                answer,
                "own",
                str(corpus),
                visits=((question, tuple(evidence)),),
                evidence=tuple(evidence),
            )
        )
    if not problems:
        raise ValueError(f"{path}: there is no question")
    return tuple(problems)
