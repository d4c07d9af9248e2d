"""The devices and processes of a run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_at_least


@describe_fields
@dataclass(frozen=True)
class ComputingSettings(Group):
    """The device, the precision and the processes of a run."""

    device: str = "auto"  # auto, cpu, cuda
    dtype: str = "float32"  # of weights and arithmetic; lower precision is stepped in float32
    shard: bool = False  # weights, gradients and optimiser sharded over torchrun's processes
    ray: int = 0  # workers on Ray that play the episodes, each on a core; 0: this process does
    asynchronous: bool = False  # episodes at their own pace; runs then repeat up to rounding only

    def _check(self) -> None:
        """Refuse a number of workers below 0."""
        check_at_least(self, ray=0)
