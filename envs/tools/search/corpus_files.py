"""Documents from files: JSON lines, or a folder of text files.

Left out: other formats (HTML, PDF), and files that are compressed.
"""

import json
from pathlib import Path

from zerogym.envs.tools.search.corpus import Corpus, Document

ENDINGS = frozenset({".txt", ".md"})


def read_corpus(path: str | Path) -> Corpus:
    """Read a corpus from a folder, or from a file of JSON lines.

    Raises:
        ValueError: If there is nothing at the path, or what is there cannot be read.
    """
    place = Path(path)
    if place.is_dir():
        return Corpus(read_folder(place))
    if place.is_file():
        return Corpus(read_lines(place))
    raise ValueError(f"there is neither a folder nor a file {place}")


def read_lines(path: Path) -> list[Document]:
    """Read one document a line: an object with `id`, `text` and, if it has one, `title`.

    Numbers are fine as ids; blank lines and other keys do not count.

    Raises:
        ValueError: If a line is not such an object; names the line.
    """
    documents = []
    for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            id, text, title = row["id"], row["text"], row.get("title", "")
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ValueError(f"{path}, line {number}: needs an object with id and text") from None
        if not isinstance(id, str | int) or not isinstance(text, str) or not isinstance(title, str):
            raise ValueError(f"{path}, line {number}: id, text and title must be strings")
        documents.append(Document(str(id), title or str(id), text))
    return documents


def read_folder(path: Path) -> list[Document]:
    """Read the files that end in .txt or .md, in all folders below, in the order of their names.

    The id is the path below the folder; the title is the first line that is not blank, without
    the # of a heading. Links are left out: they may lead anywhere.

    Raises:
        ValueError: If a file cannot be read.
    """
    documents = []
    files = [file for file in path.rglob("*") if file.suffix.lower() in ENDINGS]
    for file in sorted(files, key=lambda file: file.relative_to(path).as_posix()):
        inside = [file, *file.parents[: len(file.relative_to(path).parts) - 1]]
        if any(each.is_symlink() for each in inside) or not file.is_file():
            continue
        try:
            text = file.read_text("utf-8", "replace")
        except OSError as error:
            raise ValueError(f"{file} cannot be read: {error.strerror}") from None
        first = next((line for line in text.splitlines() if line.strip()), file.stem)
        title = first.lstrip("# ").strip()[:200] or file.stem
        documents.append(Document(file.relative_to(path).as_posix(), title, text))
    return documents
