"""Tianshou's high-level interface: PPO spins a pole, a task that has an id of its own."""
# requires: tianshou[eval]

import json

from tianshou.highlevel.config import OnPolicyTrainingConfig
from tianshou.highlevel.env import EnvFactoryRegistered, VectorEnvType
from tianshou.highlevel.experiment import ExperimentConfig, PPOExperimentBuilder

import zerogym  # noqa: F401 (registers the ids)

# Their argument `task` is the id, so that ours (`task="spin_left"`) is a part of it.
envs = EnvFactoryRegistered(task="zerogym/CartPoleSpinLeft-v0", venv_type=VectorEnvType.DUMMY)
training = OnPolicyTrainingConfig(
    max_epochs=1, epoch_num_steps=24_000, num_training_envs=8, num_test_envs=20, batch_size=256,
    buffer_size=2048, update_step_num_repetitions=10,
)  # fmt: skip
once = ExperimentConfig(persistence_enabled=False, watch=False)
world = PPOExperimentBuilder(envs, once, training).build().create_experiment_world()


def returns() -> list[float]:
    world.test_collector.reset()
    return world.test_collector.collect(n_episode=20).returns.tolist()


before = returns()
world.trainer.run()
print(json.dumps({"before": before, "after": returns()}))
