"""TorchRL: a policy gradient in a seat of a game, whose mask is in the observation."""
# requires: torchrl

import json

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor

import zerogym
from zerogym.wrappers import MaskInObservation

torch.manual_seed(0)
game = MaskInObservation(zerogym.make("TicTacToe", view="numeric", opponent="random"))
env = TransformedEnv(
    GymWrapper(game, categorical_action_encoding=True),
    DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
)
env.set_seed(1000)
actor = ProbabilisticActor(
    TensorDictModule(MLP(27, 9, num_cells=[64]), ["observation"], ["logits"]),
    {"logits": "logits", "mask": "action_mask"}, spec=env.action_spec,
    distribution_class=MaskedCategorical, return_log_prob=True,
)  # fmt: skip
optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)


def play(games: int) -> list[tuple[float, torch.Tensor]]:
    played = [env.rollout(9, actor) for _ in range(games)]
    return [(one["next", "reward"].sum().item(), one["action_log_prob"].sum()) for one in played]


before = [value for value, _ in play(100)]
for _ in range(60):
    values, logprobs = zip(*play(32), strict=True)
    weight = torch.tensor(values) - sum(values) / len(values)
    optimizer.zero_grad()
    (-(torch.stack(logprobs) * weight).mean()).backward()
    optimizer.step()
print(json.dumps({"before": before, "after": [value for value, _ in play(100)]}))
