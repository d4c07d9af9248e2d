"""Tinker cookbook: its rollouts of a task of several turns, whose tokens the oracle chooses."""
# requires: tinker-cookbook

import asyncio
import json

from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.rl.message_env import EnvFromMessageEnv, MessageEnv, MessageStepResult
from tinker_cookbook.rl.rollouts import do_single_rollout
from transformers import AutoTokenizer

import zerogym
from zerogym.agents.llm.models.directories import TINY_DIRECTORY


class Messages(MessageEnv):
    def __init__(self, seed: int):
        self.env, self.seed, self.messages = zerogym.make("SQL"), seed, []

    async def initial_observation(self):
        self.messages = [{"role": "user", "content": self.env.reset(seed=self.seed)[0]}]
        return self.messages

    async def step(self, message):
        observation, reward, ended, cut, _ = self.env.step(message["content"])
        self.messages = [*self.messages, message, {"role": "user", "content": observation}]
        return MessageStepResult(reward, ended or cut, self.messages)


class Oracle(TokenCompleter):  # in the place of a model that Tinker hosts
    async def __call__(self, model_input, stop, *, max_tokens=None):
        tokens = tokenizer.encode(game.env.unwrapped.oracle_action(), add_special_tokens=False)
        return TokensWithLogprobs([*tokens, tokenizer.eos_token_id], [0.0] * (len(tokens) + 1))


tokenizer = AutoTokenizer.from_pretrained(TINY_DIRECTORY)
renderer, turns = get_renderer("role_colon", tokenizer), 0
for game in map(Messages, range(20)):
    played = asyncio.run(do_single_rollout(Oracle(), EnvFromMessageEnv(renderer, game)))
    assert sum(each.reward for each in played.transitions) == 1
    turns += len(played.transitions)
print(json.dumps({"checked": f"20 episodes of {turns} turns in all, the oracle's reward is 1"}))
