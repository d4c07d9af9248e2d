"""The computing of a forward-backward run: device, precision, compilation."""

from dataclasses import dataclass

from zerogym.agents.compiling import COMPILERS
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_known, check_least

# See `computing.py` of the learner.
DEVICES = ("cpu", "cuda", "auto")
PRECISIONS = ("fp32", "tf32", "bf16")


@describe_fields
@dataclass(frozen=True)
class ComputingSettings(Group):
    """The device, the precision and the compilation of a run."""

    device: str = "cpu"  # or "cuda", or "auto": a GPU if there is one; where data and networks are
    precision: str = "fp32"  # of products; or "tf32" (GPUs), "bf16" (autocast; z and losses fp32)
    compile: str = "none"  # losses by torch.compile: "inductor" (fused), "aot_eager" (a test of it)
    cuda_graph: bool = False  # record an update once and replay it; cuda
    threads: int = 1  # torch threads, at most one a core; small networks are fastest with one

    def _check(self) -> None:
        """Refuse unknown names, no threads, and CUDA graphs on a CPU."""
        check_least(self, threads=1)
        check_known(self, device=DEVICES, precision=PRECISIONS, compile=COMPILERS)
        if self.cuda_graph and self.device == "cpu":
            raise ValueError("FBConfig.cuda_graph needs device='cuda'")
