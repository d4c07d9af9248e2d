"""The z of tasks, by hand; see also `test_model.py`."""

import pytest
import torch

from zerogym.agents.zero_shot.models import inference
from zerogym.agents.zero_shot.models.networks import to_sphere


def test_inference_formulas_by_hand() -> None:
    places = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    root = 2**0.5
    rewards = torch.tensor([3.0, 2.0, 2.0])
    assert inference.of_rewards(places, rewards).tolist() == pytest.approx(
        [3 * root / 5, 4 * root / 5]
    )
    assert inference.of_mean(places[:2]).tolist() == pytest.approx([1.0, 1.0])
    track = inference.of_track(torch.cat([places, places[:1]]), window=2)  # B of s_0 .. s_3
    headings = to_sphere(torch.tensor([[0.0, 2.0], [1.0, 1.0], [1.0, 0.0]]))
    torch.testing.assert_close(track, headings)


def test_the_end_of_a_long_track_is_as_exact_as_its_start() -> None:
    torch.manual_seed(0)
    places = to_sphere(torch.randn(100, 4) + 1)
    long = inference.of_track(torch.cat([places] * 1000), window=3)
    torch.testing.assert_close(long[-99:], inference.of_track(places, window=3))


def test_a_reward_in_the_span_of_phi_is_recovered() -> None:
    torch.manual_seed(0)
    phi, weights = torch.randn(50, 4), torch.tensor([1.0, -2.0, 0.5, 0.0])
    z = inference.of_regression(phi, phi @ weights)
    torch.testing.assert_close(z, to_sphere(weights))
    dependent = torch.cat([phi, phi[:, :1]], 1)  # no unique fit: the least one halves the first
    z = inference.of_regression(dependent, phi @ weights)
    torch.testing.assert_close(z, to_sphere(torch.tensor([0.5, -2.0, 0.5, 0.0, 0.5])))
