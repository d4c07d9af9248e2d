"""CleanRL's style: a policy gradient in a single file, over a vector environment."""
# requires: torch

import json

import gymnasium as gym
import torch

import zerogym  # noqa: F401 (registers the ids)

torch.manual_seed(0)
envs = gym.make_vec("zerogym/CartPole-v0", 16, task="balance")
net = torch.nn.Sequential(torch.nn.Linear(5, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)


def play(seed: int, learn: bool) -> list[float]:
    observed, _ = envs.reset(seed=seed)
    logprobs, rewards = [], []
    for _ in range(200):
        policy = torch.distributions.Normal(net(torch.as_tensor(observed).float()), 0.5)
        action = policy.sample()
        observed, reward, *_ = envs.step(action.clamp(-1, 1).numpy())
        logprobs.append(policy.log_prob(action).sum(-1))
        rewards.append(torch.as_tensor(reward))
    if learn:
        to_go = torch.stack(rewards).flip(0).cumsum(0).flip(0)  # (200, 16)
        weight = (to_go - to_go.mean(1, keepdim=True)) / to_go.std()
        optimizer.zero_grad()
        (-(torch.stack(logprobs) * weight).mean()).backward()
        optimizer.step()
    return torch.stack(rewards).sum(0).tolist()


before = play(1000, learn=False)
for step in range(100):
    play(step, learn=True)
print(json.dumps({"before": before, "after": play(2000, learn=False)}))
