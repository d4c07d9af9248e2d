"""TorchRL: PPO on a control task by its id."""
# requires: torchrl

import json

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import GymEnv, set_exploration_type
from torchrl.modules import MLP, NormalParamExtractor, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import zerogym  # noqa: F401 (registers the ids)

torch.manual_seed(0)
env = GymEnv("zerogym/CartPole-v0")
net = torch.nn.Sequential(MLP(5, 2, num_cells=[64, 64]), NormalParamExtractor())
actor = ProbabilisticActor(
    TensorDictModule(net, ["observation"], ["loc", "scale"]), ["loc", "scale"],
    spec=env.action_spec, distribution_class=TanhNormal, return_log_prob=True,
)  # fmt: skip
critic = ValueOperator(MLP(5, 1, num_cells=[64, 64]))
loss, advantage = ClipPPOLoss(actor, critic), GAE(gamma=0.99, lmbda=0.95, value_network=critic)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)


def play(episodes: int) -> torch.Tensor:
    with torch.no_grad(), set_exploration_type("random"):
        return torch.stack([env.rollout(200, actor) for _ in range(episodes)])


env.set_seed(1000)
before = play(10)["next", "reward"].sum((1, 2)).tolist()
for _ in range(20):
    data = advantage(play(6)).flatten()
    for rows in torch.cat([torch.randperm(len(data)) for _ in range(10)]).split(240):
        found = loss(data[rows])
        optimizer.zero_grad()
        (found["loss_objective"] + found["loss_critic"]).backward()
        optimizer.step()
print(json.dumps({"before": before, "after": play(10)["next", "reward"].sum((1, 2)).tolist()}))
