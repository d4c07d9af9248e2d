"""The budget of one call in the sandbox."""

from dataclasses import dataclass, fields

MIB = 2**20
KIB = 2**10


@dataclass(frozen=True)
class Limits:
    """The budget of one call. All processes that it starts share it.

    Attributes:
        cpu_s: CPU seconds of all processes together: the limit that training should lean on.
        wall_s: Seconds on the clock, a guard against sleeping; much higher, because a busy machine
            makes wall-clock limits unrepeatable.
        memory_mib: Resident memory of all processes together, in MiB.
        disk_mib: What the folders for writing (`/task`, `/tmp`, `/dev/shm`) hold together, in MiB.
            They are in memory, so a call costs at most `memory_mib + disk_mib`.
        files: Files and folders in those folders.
        processes: Processes and threads at one time.
        open_files: File descriptors of one process.
        output_kib: Each of standard output, standard error and the collected files, in KiB.
    """

    cpu_s: float = 5.0
    wall_s: float = 20.0
    memory_mib: int = 512
    disk_mib: int = 128
    files: int = 16384
    processes: int = 64
    open_files: int = 256
    output_kib: int = 1024

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 < value < 2**31:
                raise ValueError(f"{field.name} is above 0 and below 2**31, not {value!r}")
