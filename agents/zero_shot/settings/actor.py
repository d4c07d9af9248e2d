"""The actor of a forward-backward run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_least


@describe_fields
@dataclass(frozen=True)
class ActorSettings(Group):
    """The policy for a z: its softness, its noise, and how near it stays to the data."""

    temperature: float = 10.0  # of the target policy's softmax of F'z; 0: the argmax or actor
    lr_actor: float = 1e-3  # Adam's rate for the actor; continuous
    noise: float = 0.2  # standard deviation of target and actor noise; continuous
    noise_clip: float = 0.3  # largest absolute noise; continuous
    bc: float = 0.0  # weight of the distance to the data's actions, as in TD3+BC; continuous
    flow_bc: float = 0.0  # of the distance to a flow of them, see `flow_bc.py`; continuous

    def _check(self) -> None:
        """Refuse numbers out of range, and two or misplaced ways to stay near the data."""
        check_least(self, temperature=0, lr_actor=0, noise=0, noise_clip=0, bc=0, flow_bc=0)
        if self.flow_bc > 0 and self.bc > 0:
            raise ValueError(f"FBConfig.flow_bc takes the place of bc, which is {self.bc}")
        for name in ("bc", "flow_bc"):
            if getattr(self, name) > 0 and self.temperature > 0:
                # Otherwise targets would be values of arbitrary actions, also far from the data.
                raise ValueError(
                    f"FBConfig.{name} keeps the actor near the data and needs temperature 0, where "
                    f"the target policy is the actor; got {self.temperature}"
                )
