"""Estimators and gradients against exact sums over every reply that a small policy can give."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.llm.algorithms.advantage_tables import weigh  # noqa: E402
from zerogym.agents.llm.algorithms.batch import Batch, Sample  # noqa: E402
from zerogym.agents.llm.algorithms.divergences import K1, K2, K3  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import DIVERGENCES, Totals  # noqa: E402
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss  # noqa: E402
from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.agents.trajectory import Trajectory  # noqa: E402

TOKENS = 3
k1, k2, k3 = K1(), K2(), K3()


class Policy:
    """Replies of two tokens out of three; the second depends on the first."""

    def __init__(self, seed: int) -> None:
        numbers = torch.Generator().manual_seed(seed)
        shape = (1 + TOKENS, TOKENS)  # at the start, and after each first token
        self.logits = torch.randn(shape, generator=numbers, dtype=torch.float64).requires_grad_()

    def logprobs(self, reply: tuple[int, int]) -> torch.Tensor:
        table = self.logits.log_softmax(-1)
        return torch.stack([table[0, reply[0]], table[1 + reply[0], reply[1]]])  # (2,)

    def gradient(self, value: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad(value, self.logits, retain_graph=True)
        return gradient


@pytest.fixture
def policy() -> Policy:
    return Policy(0)


@pytest.fixture
def reference() -> Policy:
    return Policy(1)


def replies() -> Iterator[tuple[int, int]]:
    return product(range(TOKENS), repeat=2)


def divergence(p: Policy, q: Policy) -> torch.Tensor:
    """KL(p || q) over whole replies, by its definition."""
    terms = [
        p.logprobs(r).sum().exp() * (p.logprobs(r).sum() - q.logprobs(r).sum()) for r in replies()
    ]
    return torch.stack(terms).sum()


def expected(p: Policy, value: Callable[[tuple[int, int]], torch.Tensor]) -> torch.Tensor:
    """The mean over replies of the policy, whose weights are constants, as for samples."""
    return torch.stack([p.logprobs(r).sum().exp().detach() * value(r) for r in replies()]).sum()


@pytest.mark.parametrize("name", ["k1", "k3"])
def test_k1_and_k3_are_unbiased(policy: Policy, reference: Policy, name: str) -> None:
    exact = float(divergence(policy, reference).detach())
    assert exact > 0.1
    mean = expected(
        policy, lambda r: DIVERGENCES[name]()(policy.logprobs(r), reference.logprobs(r)).sum()
    )
    assert float(mean.detach()) == pytest.approx(exact, abs=1e-12)


def test_k2_is_biased_and_close_where_the_two_are(policy: Policy) -> None:
    def bias(step: float) -> float:
        near = Policy(1)
        near.logits = (policy.logits + step * near.logits).detach()
        mean = expected(policy, lambda r: k2(policy.logprobs(r), near.logprobs(r)).sum())
        return abs(float((mean / divergence(policy, near)).detach()) - 1)

    assert bias(1.0) > 0.1
    # relative bias falls with the distance, as that of a second-order expansion does
    assert bias(0.01) < 0.02 and bias(0.001) < bias(0.01) / 5


def test_k2_and_k3_are_never_negative(policy: Policy, reference: Policy) -> None:
    values = [
        [float(k(policy.logprobs(r), reference.logprobs(r)).min().detach()) for r in replies()]
        for k in (k1, k2, k3)
    ]
    assert min(values[0]) < 0 <= min(values[1]) and min(values[2]) >= 0


def test_gradients_of_the_estimators(policy: Policy, reference: Policy) -> None:
    """For one token: of k1 nothing is left, k2 has that of KL(p || q), k3 that of KL(q || p)."""
    p, q = policy.logits[0].log_softmax(-1), reference.logits[0].log_softmax(-1).detach()

    def mean_gradient(name: str) -> torch.Tensor:
        return policy.gradient((p.exp().detach() * DIVERGENCES[name]()(p, q)).sum())

    forward = policy.gradient((p.exp() * (p - q)).sum())
    backward = policy.gradient((q.exp() * (q - p)).sum())
    assert float(forward.abs().max()) > 0.05 and not torch.allclose(forward, backward, atol=0.01)
    assert torch.allclose(mean_gradient("k1"), torch.zeros_like(forward), atol=1e-12)
    assert torch.allclose(mean_gradient("k2"), forward, atol=1e-12)
    assert torch.allclose(mean_gradient("k3"), backward, atol=1e-12)


@pytest.mark.parametrize("name", ["k1", "k3"])
def test_weighted_by_the_ratio_the_gradient_is_that_of_the_divergence(
    policy: Policy, reference: Policy, name: str
) -> None:
    """As the loss has it: no advantages, one episode a token, weighed by its probability."""
    algorithm = replace(PRESETS["grpo"], kl=1.0, kl_estimator=name, kl_weighted=True)
    p, q = policy.logits[0].log_softmax(-1), reference.logits[0].log_softmax(-1).detach()
    one, totals = torch.ones(1, 1), Totals(1, 1, 1)
    gradient = torch.zeros_like(policy.logits)
    for token in range(TOKENS):
        new, old = p[token].reshape(1, 1), p[token].detach().reshape(1, 1)
        loss, _ = policy_loss(
            new, old, 0 * one, one, algorithm, totals, reference=q[token].reshape(1, 1)
        )
        (part,) = torch.autograd.grad(loss, policy.logits, retain_graph=True)
        gradient += old.exp() * part
    assert torch.allclose(gradient, policy.gradient((p.exp() * (p - q)).sum()), atol=1e-7)


@pytest.mark.parametrize(("preset", "factor"), [("rloo", 1.0), ("dr_grpo", 0.25)])
@pytest.mark.parametrize("kl", [0.0, 0.3])
def test_policy_gradient_is_that_of_the_mean_reward(
    policy: Policy, reference: Policy, preset: str, factor: float, kl: float
) -> None:
    """Over all 81 pairs of replies: RLOO is unbiased; Dr. GRPO has (G - 1) / G of it, divided by
    its constant of 2 tokens. With the divergence in the reward, both climb `r - kl KL`.
    """
    algorithm = replace(PRESETS[preset], kl=kl, kl_estimator="k1", kl_in="reward")
    rewarded = dict(zip(replies(), np.random.default_rng(0).normal(size=9).tolist(), strict=True))
    worth = [policy.logprobs(r).sum().exp() * rewarded[r] for r in replies()]
    exact = policy.gradient(torch.stack(worth).sum() - kl * divergence(policy, reference))
    assert float(exact.abs().max()) > 0.01

    gradient = torch.zeros_like(policy.logits)
    for pair in product(replies(), repeat=2):
        new = torch.stack([policy.logprobs(r) for r in pair])  # (2, 2)
        old = new.detach()
        with torch.no_grad():
            distance = [k1(policy.logprobs(r), reference.logprobs(r)).numpy() for r in pair]
        episode_returns = [
            Sample(Trajectory("e", 0, 0, (), reward=rewarded[r]), kl * d)
            for r, d in zip(pair, distance, strict=True)
        ]
        weights = weigh(algorithm.estimator, Batch([episode_returns]))
        loss, _ = policy_loss(
            new, old, torch.tensor(np.stack(weights)), torch.ones(2, 2).double(), algorithm,
            Totals(rows=2, tokens=4, budget=2),
        )  # fmt: skip
        gradient += old.sum().exp() * policy.gradient(-loss)
    assert torch.allclose(gradient, factor * exact, atol=1e-12)


# --- where training with a divergence ends

START = np.array([0.5, 0.3, 0.15, 0.05])  # the reference's probabilities of four answers
WORTH = np.array([0.0, 1.0, 0.2, 2.0])  # their rewards
BETA = 0.6


def ascended(estimator: str, place: str, weighted: bool) -> np.ndarray:
    """The policy over the answers at which gradient steps of the loss end.

    A step adds to the logits the mean gradient divided by the probability. The mean is exact: a
    loss of one token for each answer, weighed by its probability.
    """
    algorithm = replace(
        PRESETS["dr_grpo"], kl=BETA, kl_estimator=estimator, kl_in=place, kl_weighted=weighted
    )
    reference = torch.tensor(START).log()
    logits = reference.clone().requires_grad_()
    for _ in range(80):
        p = logits.log_softmax(-1)
        gradient = torch.zeros(4, dtype=torch.float64)
        for answer in range(4):
            new, old, known = (
                each[answer].reshape(1, 1) for each in (p, p.detach(), reference)
            )  # (1, 1)
            gain = torch.full_like(old, WORTH[answer])
            if place == "reward":
                gain = gain - BETA * DIVERGENCES[estimator]()(old, known)
            loss, _ = policy_loss(
                new, old, gain, torch.ones_like(old), algorithm, Totals(1, 1, 1),
                reference=known if place == "loss" else None,
            )  # fmt: skip
            gradient -= old.exp().item() * torch.autograd.grad(loss, logits, retain_graph=True)[0]
        logits = (logits + 0.5 * gradient / p.exp()).detach().requires_grad_()
    return logits.softmax(-1).detach().numpy()


@pytest.mark.claim(
    "k1",
    "k2",
    "k3",
    says="k1 in the reward, k2 in the loss, and k1 and k3 weighted by the ratio end at "
    "the Bayesian posterior.",
)
@pytest.mark.parametrize(
    ("estimator", "place", "weighted"),
    [("k1", "reward", False), ("k2", "loss", False), ("k3", "loss", True), ("k1", "loss", True)],
)
def test_it_ends_at_the_posterior(estimator: str, place: str, weighted: bool) -> None:
    """At `start exp(r / beta) / Z`: "RL with KL penalties is better viewed as Bayesian inference"
    (2022, arXiv 2205.11275)."""
    posterior = START * np.exp(WORTH / BETA)
    found = ascended(estimator, place, weighted)
    assert found == pytest.approx(posterior / posterior.sum(), abs=1e-6)


@pytest.mark.claim(
    "k3", says="Unweighted in the loss, as GRPO has it, it ends at the posterior.", held=False
)
def test_unweighted_k3_in_the_loss_ends_elsewhere() -> None:
    """At `beta start / (mu - r)` with mu so that it sums to 1, which is not the posterior."""
    low, high = WORTH.max(), WORTH.max() + BETA
    for _ in range(100):
        mu = (low + high) / 2
        low, high = (mu, high) if (BETA * START / (mu - WORTH)).sum() > 1 else (low, mu)
    found = ascended("k3", "loss", False)
    assert found == pytest.approx(BETA * START / (mu - WORTH), abs=1e-6)
    posterior = START * np.exp(WORTH / BETA)
    assert np.abs(found - posterior / posterior.sum()).sum() / 2 > 0.05


@pytest.mark.claim(
    "k1", says="Unweighted in the loss, it holds the policy near the reference.", held=False
)
def test_k1_in_the_loss_forgets_the_reference() -> None:
    """Unweighted its mean gradient is 0: only the answer with the highest reward is left."""
    assert ascended("k1", "loss", False)[3] > 0.999
