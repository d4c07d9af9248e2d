"""verl: its dataset reads our rows, its reward manager scores replies by our verifier."""
# requires: verl

import json

import torch
from datasets import Dataset
from omegaconf import OmegaConf
from transformers import AutoTokenizer
from verl import DataProto
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn
from verl.workers.reward_manager import NaiveRewardManager

import zerogym
from zerogym.adapters import verl as adapter
from zerogym.agents.llm.models.directories import TINY_DIRECTORY

tokenizer = AutoTokenizer.from_pretrained(TINY_DIRECTORY)
Dataset.from_list(adapter.rows("ChainSum", 40)).to_parquet("train.parquet")
settings = OmegaConf.create({"cache_dir": ".", "return_raw_chat": True})
batch = collate_fn(list(RLHFDataset("train.parquet", tokenizer, settings)))

env, replies = zerogym.make("ChainSum"), []
for index, chat in enumerate(batch["raw_prompt"]):
    observation, _ = env.reset(seed=int(batch["extra_info"][index]["seed"]))
    assert chat == [{"role": "user", "content": observation}]
    right = env.unwrapped.oracle_action()
    replies.append(right if index % 2 else "<answer>no number</answer>")

prompts = tokenizer(["prompt"] * 40, return_tensors="pt").input_ids
written = tokenizer(replies, return_tensors="pt", padding=True, padding_side="right")
read = torch.cat([torch.ones_like(prompts), written.attention_mask], dim=1)
tensors = {"prompts": prompts, "responses": written.input_ids, "attention_mask": read}
columns = {key: batch[key] for key in ("reward_model", "data_source", "extra_info")}
named = {"path": adapter.__file__, "name": "compute_score"}
reward = get_custom_reward_fn(OmegaConf.create({"reward": {"custom_reward_function": named}}))
rewards = NaiveRewardManager(tokenizer, 0, reward)(DataProto.from_dict(tensors, columns)).sum(1)
assert rewards.tolist() == [index % 2 for index in range(40)]
print(json.dumps({"checked": "40 rows, 20 right and 20 wrong replies, rewards of the task"}))
