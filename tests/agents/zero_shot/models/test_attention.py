"""Networks with attention: what permutes with what, gradients, and one action at its cost."""

import numpy as np
import torch

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.architecture import Shape, make_networks
from zerogym.agents.zero_shot.models.attention import (
    AttentionBackward,
    AttentionForward,
    Block,
    DiscreteAttentionForward,
)


def _normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def test_a_block_permutes_with_its_tokens_and_is_that_of_a_loop() -> None:
    torch.manual_seed(0)
    block, tokens = Block(6), _normal(3, 4, 6)
    found = block(tokens)
    order = [2, 0, 3, 1]
    torch.testing.assert_close(block(tokens[:, order]), found[:, order], atol=1e-5, rtol=1e-5)
    query, key, value = (x.detach().double().numpy() for x in block.all(tokens).chunk(3, -1))
    mixed = np.zeros((3, 4, 6))
    for n in range(3):
        for t in range(4):
            weights = np.exp([query[n, t] @ key[n, other] / np.sqrt(6) for other in range(4)])
            mixed[n, t] = sum(w * v for w, v in zip(weights / weights.sum(), value[n], strict=True))
    attended = torch.as_tensor(mixed).float()
    torch.testing.assert_close(
        found, block.norm(attended + block.hidden(attended)), atol=1e-5, rtol=1e-5
    )


def test_actions_of_the_discrete_f_permute_with_their_embeddings_and_stand_alone() -> None:
    torch.manual_seed(0)
    net, features, z = DiscreteAttentionForward(2, 5, 4, 3, 16), _normal(7, 5), _normal(7, 3)
    found = net(features, z)
    assert found.shape == (2, 7, 4, 3)
    actions = torch.tensor([0, 3, 1, 2, 2, 0, 3])
    one = net.of_done(features, actions, z)
    torch.testing.assert_close(one, found[:, torch.arange(7), actions], atol=1e-5, rtol=1e-5)
    order = [3, 1, 0, 2]
    with torch.no_grad():
        net.action.weight.copy_(net.action.weight[:, order])
    torch.testing.assert_close(net(features, z), found[:, :, order], atol=1e-5, rtol=1e-5)
    with torch.no_grad():
        net.action.weight[:, 1] += _normal(16)  # a constant would be normalised away
    again = net(features, z)
    rest = [0, 2, 3]
    torch.testing.assert_close(
        again[:, :, rest], found[:, :, order][:, :, rest], atol=1e-5, rtol=1e-5
    )
    assert not torch.allclose(again[:, :, 1], found[:, :, order][:, :, 1])


def test_f_of_many_actions_is_f_of_each_and_all_weights_have_a_gradient() -> None:
    torch.manual_seed(0)
    net, features, z = AttentionForward(2, 5, 3, 4, 16), _normal(6, 5), _normal(6, 4)
    actions = _normal(6, 8, 3)
    many = net.of_many(features, actions, z)
    assert many.shape == (2, 6, 8, 4)
    for c in range(8):
        torch.testing.assert_close(
            many[:, :, c], net(features, actions[:, c], z), atol=1e-5, rtol=1e-5
        )
    backward = AttentionBackward(5, 4, 16)
    places = backward(features)
    torch.testing.assert_close(places.norm(dim=-1), torch.full((6,), 2.0))
    torch.testing.assert_close(places[2:3], backward(features[2:3]), atol=1e-5, rtol=1e-5)
    (many.square().sum() + (places * _normal(6, 4)).sum()).backward()  # type: ignore[no-untyped-call]
    for part in (net, backward):
        for name, weight in part.named_parameters():
            assert weight.grad is not None and weight.grad.abs().sum() > 0, name


def test_the_nets_of_agent_fb_may_have_attention() -> None:
    for discrete, kind in ((True, DiscreteAttentionForward), (False, AttentionForward)):
        shape = Shape(5, 3, discrete, 4, 16, 2, net=FBConfig(net="attention").net)
        forward, backward, actor = make_networks(shape, 5)
        assert type(forward) is kind and isinstance(backward, AttentionBackward)
        assert (actor is None) == discrete
