"""Jobs over files: sorting them into folders, repacking an archive, rotating logs."""

import gzip
import io
import tarfile
from collections import Counter
from collections.abc import Mapping

import numpy as np

from zerogym.envs.tools.notebook.puzzle import sample_names
from zerogym.envs.tools.shell_world.tree import kind_of, name_of, sample_tree
from zerogym.envs.tools.terminal.job import Check, Job

LEVELS = ("INFO", "WARN", "ERROR")


def sample_files(rng: np.random.Generator, size: int) -> Job:
    """Draw a job that sorts files into folders by their endings."""
    words = sample_names(rng, 8)
    tree = sample_tree(rng, 5 + size, words)
    kept = {path: text for path, text in tree.items() if text}
    moved = {f"{kind_of(path)}/{name_of(path)}": text for path, text in kept.items()}
    counts = Counter(map(kind_of, kept))
    index = "".join(f"{kind} {number}\n" for kind, number in sorted(counts.items()))
    old = {path.partition("/")[0] for path in tree if "/" in path}
    move = 'mkdir -p "${file##*.}"; mv "$file" "${file##*.}/"'
    kinds = " ".join(sorted(counts))
    return Job(
        "files",
        tree,
        (
            "Delete all empty files.",
            "Move every file into a folder in the top folder that is named like its ending, "
            "without the dot. Then delete the folders that are empty.",
            "Write index.txt: a line for each of these folders with its name, a blank and the "
            "number of its files, in alphabetical order.",
        ),
        (
            "find . -type f -empty -delete",
            f"find . -type f | while read -r file; do {move}; done\nfind . -type d -empty -delete",
            f'for kind in {kinds}; do echo "$kind $(ls $kind | wc -l)"; done > index.txt',
        ),
        (
            *(Check(path, "text", text) for path, text in moved.items()),
            *(Check(path, "gone") for path in [*sorted(tree.keys() - moved.keys()), *sorted(old)]),
            Check("index.txt", "text", index),
        ),
    )


def sample_archive(rng: np.random.Generator, size: int) -> Job:
    """Draw a job that unpacks an archive, cleans its contents and packs them again."""
    name, top, *names = sample_names(rng, 4 + size)
    files = {}
    for number, each in enumerate(names):
        folder = ("", "old/", "new/")[number % 3]
        words = sample_names(rng, int(rng.integers(2, 6)))
        ending = "tmp" if number % 2 == 0 or rng.random() < 0.2 else "txt"
        files[f"{top}/{folder}{each}.{ending}"] = "\n".join(words) + "\n"
    kept = {path: text for path, text in files.items() if kind_of(path) == "txt"}
    listing = "".join(f"{path}\n" for path in sorted(kept))
    inside = ", ".join(f"{path} ({len(text)})" for path, text in files.items())
    return Job(
        "archive",
        {f"{name}.tar.gz": _packed(files)},
        (
            f"Unpack {name}.tar.gz here; its files, with their bytes, are {inside}.",
            f"Delete all .tmp files in {top}, and write the paths of the files that are left, one "
            f"a line and sorted, each beginning with {top}/, to files.txt.",
            f"Pack {top} as {name}.tar, without compression and with its name in front, and delete "
            f"the folder {top} and {name}.tar.gz.",
        ),
        (
            f"tar -xzf {name}.tar.gz",
            f"find {top} -name '*.tmp' -delete\nfind {top} -type f | sort > files.txt",
            f"tar -cf {name}.tar {top} && rm -r {top} {name}.tar.gz",
        ),
        (
            Check(f"{name}.tar", "tar", kept),
            Check("files.txt", "text", listing),
            Check(top, "gone"),
            Check(f"{name}.tar.gz", "gone"),
        ),
    )


def sample_logs(rng: np.random.Generator, size: int) -> Job:
    """Draw a job that collects the errors of logs, counts them and compresses the logs."""
    services = sample_names(rng, 4)
    names = sample_names(rng, 2 + min(3, size // 6))
    logs: dict[str, list[str]] = {name: [] for name in names}
    # Each time comes once, so that there is one order.
    times = sorted(int(time) for time in rng.permutation(1440)[: 3 * size + 6])
    for time in times:
        level = LEVELS[int(rng.integers(3))]
        words = f"{services[int(rng.integers(4))]} {int(rng.integers(100))}"
        line = f"{time // 60:02}:{time % 60:02} {level} {words}"
        logs[names[int(rng.integers(len(names)))]].append(line)
    errors = sorted(line for lines in logs.values() for line in lines if " ERROR " in line)
    counts = Counter(line.split()[2] for line in errors)
    summary = "".join(f"{service},{number}\n" for service, number in sorted(counts.items()))
    texts = {f"{name}.log": "".join(f"{line}\n" for line in lines) for name, lines in logs.items()}
    return Job(
        "logs",
        texts,
        (
            "Write all lines of level ERROR of all .log files to errors.txt, in the order of their "
            "times.",
            "Count the lines of errors.txt by service, the third word, and write summary.csv: a "
            "line service,count for each, in alphabetical order, without a head.",
            "Compress every .log file with gzip to a file with .gz added to its name, and delete "
            "the .log file.",
        ),
        (
            "cat *.log | grep ' ERROR ' | sort > errors.txt",
            "awk '{ print $3 }' errors.txt | sort | uniq -c | awk '{ print $2 \",\" $1 }' "
            "> summary.csv",
            "gzip *.log",
        ),
        (
            Check("errors.txt", "text", "".join(f"{line}\n" for line in errors)),
            Check("summary.csv", "text", summary),
            *(Check(f"{path}.gz", "gzip", text) for path, text in texts.items()),
            *(Check(path, "gone") for path in texts),
        ),
    )


def _packed(files: Mapping[str, str]) -> bytes:
    """Return a compressed archive, the same for the same files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return gzip.compress(packed.getvalue(), mtime=0)
