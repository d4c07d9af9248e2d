"""A gated recurrent unit in plain tensor operations, so that `torch.vmap` can batch it.

PyTorch's own has no batching rule, and agents of several seeds are trained in one batch
(`algorithms/multi_seed.py`). "Learning Phrase Representations using RNN Encoder-Decoder for
Statistical Machine Translation" (2014, arXiv 1406.1078), in PyTorch's form and with its initial
weights.
"""

import torch
from torch import Tensor, nn


class Recurrent(nn.Module):
    """A GRU of one layer that returns its last state.

    Args:
        inputs: Numbers in a row.
        width: Of its state, which begins at 0.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.width = width
        # Rows of reset, update and new state.
        self.of_input = nn.Linear(inputs, 3 * width)
        self.of_state = nn.Linear(width, 3 * width)
        for weight in self.parameters():
            nn.init.uniform_(weight, -(width**-0.5), width**-0.5)

    def forward(self, rows: Tensor) -> Tensor:
        """(n, L, inputs) -> (n, width)."""
        gates = self.of_input(rows)  # (n, L, 3 * width)
        state = torch.zeros_like(gates[:, 0, : self.width])
        for now in gates.unbind(1):
            reset, keep, new = now.chunk(3, -1)
            of_reset, of_keep, of_new = self.of_state(state).chunk(3, -1)
            reset_gate = torch.sigmoid(reset + of_reset)
            kept = torch.sigmoid(keep + of_keep)
            state = torch.lerp(torch.tanh(new + reset_gate * of_new), state, kept)
        return state
