"""The forward-backward agent that fits an action space."""

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.flow_bc import FlowFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.model import FBModel


def create_agent(
    config: FBConfig,
    dataset: Dataset,
    actions: int,
    discrete: bool,
    model: FBModel | None = None,
) -> FBAgent:
    """Return an agent: discrete, continuous, or continuous near a flow of the data's actions.

    Args:
        config: Settings.
        dataset: Training data.
        actions: Number of discrete actions, or of coordinates of a continuous one.
        discrete: Which of the two.
        model: Networks to continue with; None: fresh ones.
    """
    kind: type[FBAgent] = DiscreteFB
    if not discrete:
        kind = FlowFB if config.flow_bc > 0 else ContinuousFB
    if model is not None:
        return kind(config, model, config.seed)
    return kind.create(config, dataset, actions)
