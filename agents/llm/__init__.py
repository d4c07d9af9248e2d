"""Language-model policies and their training.

Read `policy.py`; then, each above the one before: `models`, `generation`, `rollout`, `algorithms`,
`grpo_config.py`, `learner`, `training`.
"""
