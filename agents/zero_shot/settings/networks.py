"""The networks of a forward-backward run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_known, check_least

NETS = ("product", "wide", "attention")
ENCODERS = ("auto", "state", "pixels", "tokens")  # see `encoders.py`


@describe_fields
@dataclass(frozen=True)
class NetworksSettings(Group):
    """The architecture of F, B and the actor, and of the encoder before them."""

    net: str = "product"  # or "wide" or "attention", see `torsos.py`, `attention.py`
    hidden: int = 128  # width of the hidden layers
    hidden_backward: int = 256  # width of B's; wide
    anchors: int = 0  # radial features of an observation; 0 feeds it as it is
    standardise: bool = False  # observations to mean 0 and deviation 1 of the data
    encoder: str = "auto"  # before F; "state": a deep one. auto: for pixels and tokens only
    encoded: int = 128  # numbers that an encoder makes, and width of its layers
    encoder_layers: int = 4  # hidden layers of a state encoder
    history: int = 1  # observations and actions that F remembers by a GRU; 1: no memory

    def _check(self) -> None:
        """Refuse unknown architectures and sizes out of range."""
        check_least(self, hidden=1, hidden_backward=1, encoded=1, history=1)
        check_least(self, anchors=0, encoder_layers=0)
        check_known(self, net=NETS, encoder=ENCODERS)
        if self.standardise and self.anchors:
            raise ValueError("FBConfig.standardise and anchors are two ways to feed an observation")
