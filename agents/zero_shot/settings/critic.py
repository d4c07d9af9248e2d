"""The critic of a forward-backward run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_known, check_least, check_shares

CONSERVATIVE = ("none", "value", "measure")  # see `conservative.py`


@describe_fields
@dataclass(frozen=True)
class CriticSettings(Group):
    """The learning of F, whose products with z are the values of actions."""

    gamma: float = 0.95  # discount a step
    heads: int = 2  # independent copies of F
    pessimism: float = 0.0  # share of the heads' minimum in targets; the rest is their mean
    # tau, the rates and their fall are our choice. Published are constant ones: 0.05 every 40
    # updates and 1e-3 (2021, arXiv 2103.07945), 0.01 and 1e-4 (2022, arXiv 2209.14935).
    tau: float = 0.05  # part of the way that the target networks move each update
    lr_forward: float = 4e-3  # Adam's rate for F
    q_loss: float = 0.0  # weight of the loss of F'z; successor features then have no other
    conservative: str = "none"  # or "value" (VC-FB), "measure" (MC-FB): for small, narrow data
    alpha: float = 1.0  # first weight of the conservative penalty, tuned from there
    penalty_target: float = 50.0  # alpha rises while the penalty is above it
    lr_alpha: float = 1e-4  # Adam's rate for log alpha

    def _check(self) -> None:
        """Refuse an unknown penalty, and numbers out of range."""
        check_least(self, heads=1, lr_forward=0, q_loss=0, alpha=0, penalty_target=0, lr_alpha=0)
        check_shares(self, "pessimism", "gamma", "tau")
        check_known(self, conservative=CONSERVATIVE)
        if self.gamma == 1:
            raise ValueError("FBConfig.gamma must be below 1: episodes have no end")
