"""skrl: PPO over a vector environment."""
# requires: skrl

import json

import gymnasium as gym
import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from skrl.utils.model_instantiators.torch import deterministic_model, gaussian_model

import zerogym  # noqa: F401 (registers the ids)

torch.manual_seed(0)
env = wrap_env(gym.make_vec("zerogym/CartPole-v0", 16), wrapper="gymnasium", verbose=False)
spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
layers = [{"name": "net", "input": "OBSERVATIONS", "layers": [64, 64], "activations": "tanh"}]
policy = gaussian_model(**spaces, clip_actions=True, network=layers, output="ACTIONS")
value = deterministic_model(**spaces, network=layers, output="ONE")
config = PPO_CFG(rollouts=128, mini_batches=8)
memory = RandomMemory(memory_size=config.rollouts, num_envs=env.num_envs)
agent = PPO(models={"policy": policy, "value": value}, memory=memory, cfg=config, **spaces)


def returns() -> list[float]:
    envs, totals = gym.make_vec("zerogym/CartPole-v0", 20), torch.zeros(20)
    observed, _ = envs.reset(seed=1000)
    for _ in range(200):
        given = {"observations": torch.as_tensor(observed)}
        observed, reward, *_ = envs.step(policy.act(given, role="policy")[0].detach().numpy())
        totals += torch.as_tensor(reward)
    return totals.tolist()


before = returns()
SequentialTrainer(env=env, agents=agent, cfg={"timesteps": 2048, "headless": True}).train()
print(json.dumps({"before": before, "after": returns()}))
