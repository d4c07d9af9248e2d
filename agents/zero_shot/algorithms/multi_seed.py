"""Agents that differ in their seed, trained in one batched graph.

Their tensors are stacked, each loss is computed for all at once by `torch.vmap`, and one fused Adam
updates all: many small products become few large ones. This is for GPUs, and not yet run on one; a
CPU core takes as long as for one seed after another (`benchmarks/speed/fb.py --together`). Every
agent keeps its own data, generator and networks, whose parameters are rows of the stacks.

Agent k takes the steps that it would take alone, from the same data and random numbers, up to
rounding: batched products are summed in another order. The same group gives the same bits again.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from zerogym.agents.zero_shot.algorithms.base import CRITIC, TARGETS, FBAgent
from zerogym.agents.zero_shot.algorithms.computing import Draws, Replayed, compiled, products
from zerogym.agents.zero_shot.algorithms.optimisers import Optimisers, tau_scale
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.representations.fb_losses import Metrics


class MultiSeedAgent:
    """A group of S agents that are updated at once.

    Args:
        agents: Fresh or loaded, of the same settings but for the seed, after as many updates.
    """

    def __init__(self, agents: Sequence[FBAgent]) -> None:
        self.agents, first = tuple(agents), agents[0]
        self.nets = _Nets(first)
        self.stacks = _stacked([_Nets(agent) for agent in agents])
        names = {parameter: name for name, parameter in self.nets.named_parameters()}
        self.keys = {
            name: [names[parameter] for parameter in net.parameters()]
            for name, (net, _) in first.trained().items()
        }
        rates = {name: rate for name, (_, rate) in first.trained().items()}
        leaves = {
            name: ([self.stacks[key] for key in keys], rates[name])
            for name, keys in self.keys.items()
        }
        self.optimisers = Optimisers(leaves, first.config)
        self.tau = torch.tensor(first.config.tau, device=first.device)
        self.optimisers.stack([agent.optimisers for agent in agents])
        self.losses = {
            method: compiled(partial(self._each, method), first.config)
            for method in ("critic_loss", "actor_loss")
        }
        self._applied = Replayed(self.apply) if first.config.cuda_graph else self.apply

    @property
    def updates(self) -> int:
        """Return the number of updates of each agent."""
        return self.agents[0].updates

    def update(self, data: TensorDataset) -> Metrics:
        """Call `FBAgent.update` of every agent; the metrics are (S,).

        Args:
            data: All datasets, see `stack_datasets`.
        """
        rows, config = data.transitions.actions.shape[1], self.agents[0].config
        self.optimisers.set_rates(self.updates)
        self.tau.fill_(config.tau * tau_scale(self.updates, config))
        draws = [agent.draw(rows) for agent in self.agents]
        drawn = {name: torch.stack([one[name] for one in draws]) for name in draws[0]}
        metrics = self._applied(data, drawn)
        for agent in self.agents:
            agent.updates += 1
        return metrics

    def apply(self, data: TensorDataset, drawn: Draws) -> Metrics:
        """Call `FBAgent.apply` of every agent."""
        first = self.agents[0]
        with torch.no_grad():
            batch = self._each("sample", (), data, drawn)
            z = self._each("sample_z", (), data, drawn)
        loss, metrics = self.losses["critic_loss"](CRITIC, data, batch, z, drawn)
        self.optimisers.step(loss.sum(), *CRITIC)
        if "actor" in self.keys:
            with products(first.config, first.device):
                loss, more = self.losses["actor_loss"](("actor",), batch, z, drawn)
            self.optimisers.step(loss.sum(), "actor")
            metrics |= more
        for target, net in TARGETS.items():
            slow = {k: v for k, v in self.stacks.items() if k.startswith(f"{target}.")}
            quick = [self.stacks[net + key.removeprefix(target)] for key in slow]
            if slow:  # phi that is the observation has none
                with torch.no_grad():
                    torch._foreach_lerp_(list(slow.values()), quick, [self.tau] * len(slow))
        return metrics

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors of all agents, each name prefixed by the number of its agent."""
        self.optimisers.unstack([agent.optimisers for agent in self.agents])
        return {
            f"{number}.{name}": tensor
            for number, agent in enumerate(self.agents)
            for name, tensor in agent.tensors().items()
        }

    def _each(self, method: str, trained: Collection[str], *arguments: Any) -> Any:
        """Call a method of every agent; gradients reach the tensors of the named networks only."""
        live = {key for name in trained for key in self.keys.get(name, ())}
        tensors = {k: v if k in live else v.detach() for k, v in self.stacks.items()}

        def one(tensors: dict[str, Tensor], *arguments: Any) -> Any:
            return functional_call(self.nets, tensors, (method, *arguments))

        return torch.vmap(one)(tensors, *arguments)


class _Nets(nn.Module):
    """An agent's networks as one module, for `functional_call` with other tensors."""

    def __init__(self, agent: FBAgent) -> None:
        super().__init__()
        self.agent = agent
        for name, net in agent.networks().items():
            self.add_module(name, net)

    def forward(self, method: str, *arguments: Any) -> Any:
        return getattr(self.agent, method)(*arguments)


def stack_datasets(datasets: Sequence[TensorDataset]) -> TensorDataset:
    """Stack datasets, each tensor with one more leading dimension.

    Datasets may have different numbers of states: shorter lists are padded with a state of
    frequency 0, which changes no expectation.

    Raises:
        ValueError: If they have different numbers of transitions.
    """
    sizes = sorted({len(data.transitions.actions) for data in datasets})
    if len(sizes) > 1:
        raise ValueError(f"agents trained together need as many transitions each, got {sizes}")
    most = max(len(data.states) for data in datasets)
    filled = []
    for data in datasets:
        missing = most - len(data.states)
        padding = data.states[:1].expand(missing, *data.states.shape[1:])
        frequency = nn.functional.pad(data.frequency, (0, missing))
        filled.append(data._replace(states=torch.cat([data.states, padding]), frequency=frequency))
    columns = zip(*(data.transitions for data in filled), strict=True)
    transitions = type(datasets[0].transitions)(*map(_stack_alike, columns))
    states = _stack_alike([data.states for data in filled])
    return TensorDataset(transitions, states, _stack_alike([data.frequency for data in filled]))


def _stack_alike(tensors: Sequence[Tensor]) -> Tensor:
    """Stack tensors; of equal ones (all seeds may share their data) memory holds one."""
    first = tensors[0]
    if all(torch.equal(first, other) for other in tensors[1:]):
        return first.expand(len(tensors), *first.shape)
    return torch.stack(list(tensors))


def _stacked(nets: Sequence[_Nets]) -> dict[str, Tensor]:
    """Return all tensors of the networks by name; those of network k become rows k."""
    stacks = {}
    states = [dict(net.state_dict(keep_vars=True)) for net in nets]
    for name, first in states[0].items():
        stack = torch.stack([state[name].detach() for state in states])
        for number, state in enumerate(states):
            state[name].data = stack[number]
        stacks[name] = stack.requires_grad_(first.requires_grad)
    return stacks
