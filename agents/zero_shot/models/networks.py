"""The networks of a forward-backward agent: F, B and two kinds of policy.

State and task are embedded separately and multiplied (a "FiLM" product), which scores far above
concatenation in small environments: our choice, as is the linear path around F's hidden layers. The
heads of F are computed together by batched matrix products. `torsos.py` and `encoders.py` have the
LayerNorm torsos and the deep state encoder of the large published agents.
"""

import math

import torch
from torch import Tensor, nn

WIDTH = 0.7  # of a radial bump, in mean distances between neighbouring anchors
LEAST = 1e-30  # of a radial feature; a CPU multiplies numbers below 1e-38 many times slower


def to_sphere(x: Tensor) -> Tensor:
    """Rescale the last dimension, of size d, to length sqrt(d); any shape."""
    return math.sqrt(x.shape[-1]) * nn.functional.normalize(x, dim=-1)


class HeadedLinear(nn.Module):
    """H independent linear layers, applied to (n, inputs) or (H, n, inputs); gives (H, n, outputs).

    Orthogonal weights, zero biases.
    """

    def __init__(self, heads: int, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(heads, inputs, outputs))
        for head in self.weight:
            nn.init.orthogonal_(head)
        self.bias = nn.Parameter(torch.zeros(heads, 1, outputs))

    def forward(self, x: Tensor) -> Tensor:
        return torch.matmul(x, self.weight) + self.bias


class Product(nn.Module):
    """embed(x) * mlp(z), a hidden layer, an output layer, plus a linear path from x."""

    def __init__(self, heads: int, inputs: int, dim: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.embed = HeadedLinear(heads, inputs, hidden)
        nn.init.normal_(self.embed.weight)
        self.task_in = HeadedLinear(heads, dim, hidden)
        self.task_out = HeadedLinear(heads, hidden, hidden)
        self.hidden = HeadedLinear(heads, hidden, hidden)
        self.out = HeadedLinear(heads, hidden, outputs)
        self.around = HeadedLinear(heads, inputs, outputs)
        nn.init.zeros_(self.around.weight)

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        task = self.task_out(torch.relu(self.task_in(z)))  # (H, n, hidden)
        mixed = torch.relu(self.hidden(self.embed(x) * task))  # (H, n, hidden)
        return self.out(mixed) + self.around(x)  # (H, n, outputs)


class DiscreteForward(nn.Module):
    """F(s, ., z) for every action at once."""

    def __init__(
        self,
        heads: int,
        features: int,
        actions: int,
        dim: int,
        hidden: int,
        torso: type[nn.Module] = Product,
    ) -> None:
        super().__init__()
        self.actions = actions
        self.net = torso(heads, features, dim, hidden, actions * dim)

    def forward(self, features: Tensor, z: Tensor) -> Tensor:
        """(n, features), (n, d) -> (H, n, A, d)."""
        return self.net(features, z).unflatten(-1, (self.actions, -1))


class ContinuousForward(nn.Module):
    """F(s, a, z) = sum_k basis_k(a) F_k(s, z), quadratic in the action: our choice.

    Given the parts F_k, the value of any number of actions is cheap.
    """

    pairs: Tensor

    def __init__(self, heads: int, features: int, actions: int, dim: int, hidden: int) -> None:
        super().__init__()
        self.register_buffer("pairs", torch.triu_indices(actions, actions), persistent=False)
        self.size = 1 + actions + self.pairs.shape[1]
        self.net = Product(heads, features, dim, hidden, self.size * dim)

    def basis(self, action: Tensor) -> Tensor:
        """Return 1, a_i and a_i a_j for i <= j; (n, actions) -> (n, K)."""
        first, second = self.pairs
        products = action[:, first] * action[:, second]  # (n, pairs)
        return torch.cat([torch.ones_like(action[:, :1]), action, products], -1)

    def parts(self, features: Tensor, z: Tensor) -> Tensor:
        """F_k(s, z): (n, features), (n, d) -> (H, n, K, d)."""
        return self.net(features, z).unflatten(-1, (self.size, -1))

    def of_many(self, features: Tensor, actions: Tensor, z: Tensor) -> Tensor:
        """C actions in each state: (n, features), (n, C, actions), (n, d) -> (H, n, C, d)."""
        basis = self.basis(actions.flatten(0, 1)).unflatten(0, actions.shape[:2])  # (n, C, K)
        return torch.einsum("hnkd,nck->hncd", self.parts(features, z), basis)

    def forward(self, features: Tensor, action: Tensor, z: Tensor) -> Tensor:
        """(n, features), (n, actions), (n, d) -> (H, n, d)."""
        return torch.einsum("hnkd,nk->hnd", self.parts(features, z), self.basis(action))


class Backward(nn.Module):
    """B(s) on the sphere of radius sqrt(d): one linear layer of the features."""

    def __init__(self, features: int, dim: int) -> None:
        super().__init__()
        self.net = nn.Linear(features, dim)
        nn.init.normal_(self.net.weight)

    def forward(self, features: Tensor) -> Tensor:
        """(n, features) -> (n, d)."""
        return to_sphere(self.net(features))


class Actor(nn.Module):
    """The deterministic policy for continuous actions, in (-1, 1)."""

    def __init__(
        self, features: int, actions: int, dim: int, hidden: int, torso: type[nn.Module] = Product
    ) -> None:
        super().__init__()
        self.net = torso(1, features, dim, hidden, actions)

    def forward(self, features: Tensor, z: Tensor) -> Tensor:
        """(n, features), (n, d) -> (n, actions)."""
        return torch.tanh(self.net(features, z)[0])


class Standardised(nn.Module):
    """Observations with mean 0 and standard deviation 1 over samples; fixed, not trained.

    Bodies have metres beside radians a second, which differ by powers of ten.

    Args:
        samples: (n, obs); a coordinate that is the same in all of them is fed as 0.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, samples: Tensor) -> None:
        super().__init__()
        spread = samples.std(0, correction=0)  # (obs,)
        varies = spread > LEAST
        self.register_buffer("mean", samples.mean(0))
        self.register_buffer("scale", torch.where(varies, 1 / spread, 0.0))

    def forward(self, observations: Tensor) -> Tensor:
        """(n, obs) -> (n, obs)."""
        return (observations - self.mean) * self.scale


class RadialFeatures(nn.Module):
    """Gaussian bumps around anchor observations, divided by their sum; fixed, not trained.

    They turn coordinates into neighbourhoods, which a linear B can separate.
    """

    anchors: Tensor
    width: Tensor

    def __init__(self, anchors: Tensor) -> None:
        super().__init__()
        distances = torch.cdist(anchors, anchors)  # (k, k)
        distances.fill_diagonal_(torch.inf)
        self.register_buffer("anchors", anchors)  # (k, obs)
        # Narrow bumps are nearly a table of states, and do not extend through a wall.
        self.register_buffer("width", WIDTH * distances.min(-1).values.mean())  # ()

    def forward(self, observations: Tensor) -> Tensor:
        """(n, obs) -> (n, k), rows summing to 1; those below `LEAST` are 0."""
        distance = torch.cdist(observations, self.anchors) / self.width  # (n, k)
        bumps = torch.softmax(-0.5 * distance.square(), -1)  # (n, k)
        return nn.functional.threshold(bumps, LEAST, 0.0)


def spread_points(points: Tensor, count: int) -> Tensor:
    """Return `count` of the points (n, obs), each the farthest from those before; (count, obs)."""
    nearest = torch.full((len(points),), torch.inf)  # (n,)
    chosen = [0]
    for _ in range(count - 1):
        nearest = torch.minimum(nearest, (points - points[chosen[-1]]).norm(dim=-1))
        chosen.append(int(nearest.argmax()))
    return points[chosen]
