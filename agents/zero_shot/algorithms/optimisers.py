"""Adam for each network of an agent, at rates that fall together; its state; target networks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.config import FBConfig

MOMENTS = ("exp_avg", "exp_avg_sq")  # what Adam keeps of each leaf, beside its number of steps


class Optimisers:
    """One Adam optimiser for each name.

    Args:
        trained: Leaves and learning rate by name; a name without leaves has no optimiser.
        config: Settings.
    """

    def __init__(
        self, trained: Mapping[str, tuple[Iterable[Tensor], float]], config: FBConfig
    ) -> None:
        leaves = {name: list(found) for name, (found, _) in trained.items()}
        self.config = config
        self.rates = {name: rate for name, (_, rate) in trained.items() if leaves[name]}
        graph, self.adam = config.cuda_graph, {}
        for name, rate in self.rates.items():
            # A CUDA graph reads the rate from a tensor.
            lr = torch.tensor(rate, device=leaves[name][0].device) if graph else rate
            self.adam[name] = torch.optim.Adam(leaves[name], lr=lr, fused=True, capturable=graph)

    def set_rates(self, updates: int) -> None:
        """Set all learning rates to those after so many updates."""
        scale = learning_rate_scale(updates, self.config)
        for name, adam in self.adam.items():
            for group in adam.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].fill_(self.rates[name] * scale)
                else:
                    group["lr"] = self.rates[name] * scale

    def step(self, loss: Tensor, *names: str) -> None:
        """Take one step on a loss (a number) with the named optimisers that exist."""
        chosen = [self.adam[name] for name in names if name in self.adam]
        for adam in chosen:
            adam.zero_grad(set_to_none=True)
        loss.backward()
        for adam in chosen:
            adam.step()

    def tensors(self) -> dict[str, Tensor]:
        """Return moments and steps by name, as `load_tensors` takes them."""
        return {
            f"adam.{name}.{row}.{key}": value
            for name, adam in self.adam.items()
            for row, moments in adam.state_dict()["state"].items()
            for key, value in moments.items()
        }

    def load_tensors(self, found: Mapping[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        for name, adam in self.adam.items():
            state: dict[int, dict[str, Tensor]] = {}
            for key, value in below(f"adam.{name}.", found).items():
                row, _, moment = key.partition(".")
                state.setdefault(int(row), {})[moment] = value
            groups = adam.state_dict()["param_groups"]
            adam.load_state_dict({"state": state, "param_groups": groups})

    def stack(self, others: Sequence[Self]) -> None:
        """Take over the moments of others, whose leaves are the rows of the leaves here."""
        for name, leaf, rows in self._beside(others):
            states = [other.adam[name].state[row] for other, row in rows]
            if states[0]:
                moments = {key: torch.stack([state[key] for state in states]) for key in MOMENTS}
                self.adam[name].state[leaf] = {"step": states[0]["step"].clone(), **moments}

    def unstack(self, others: Sequence[Self]) -> None:
        """Write the moments back to the others, as views."""
        for name, leaf, rows in self._beside(others):
            state = self.adam[name].state[leaf]
            for number, (other, row) in enumerate(rows):
                if state:
                    moments = {key: state[key][number] for key in MOMENTS}
                    other.adam[name].state[row] = {"step": state["step"].clone(), **moments}

    def _beside(
        self, others: Sequence[Self]
    ) -> Iterator[tuple[str, Tensor, list[tuple[Self, Tensor]]]]:
        for name in self.adam:
            adams = [each.adam[name] for each in (self, *others)]
            leaves = [[leaf for group in a.param_groups for leaf in group["params"]] for a in adams]
            for leaf, *rows in zip(*leaves, strict=True):
                yield name, leaf, list(zip(others, rows, strict=True))


def learning_rate_scale(update: int, config: FBConfig) -> float:
    """Return the part of the peak rates that is left after so many updates.

    It is `tau_scale`; in the second half of a run it falls linearly to `config.final_lr` of that.
    """
    scale = tau_scale(update, config)
    if config.updates == 0 or update <= config.updates / 2:
        return scale
    return scale * (1 - (1 - config.final_lr) * min(1.0, 2 * update / config.updates - 1))


def tau_scale(update: int, config: FBConfig) -> float:
    """Return 1 up to `config.peak_updates`, then fall as 1 / update.

    F's weights grow as long as they are trained. Targets that follow them within some 20 updates
    then feed errors back: the Bellman term of single batches grows, and steps on their gradients
    take B its dimensions. Slower targets stop that; smaller learning rates alone do not.
    """
    return min(1.0, config.peak_updates / max(update, 1))


@torch.no_grad()
def follow(target: nn.Module, net: nn.Module, tau: Tensor) -> None:
    """Move the weights of a target network by a fraction `tau` towards those of another."""
    slow: list[Tensor] = list(target.parameters())
    if slow:  # phi that is the observation has none
        torch._foreach_lerp_(slow, list(net.parameters()), [tau] * len(slow))


def below(prefix: str, found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names begin with a prefix, by the rest of their names."""
    return {k.removeprefix(prefix): v for k, v in found.items() if k.startswith(prefix)}
