"""Changed rewards: form and length of replies, own functions, budgets of cost, reward machines.

Read `reply_rewards.py` first.
"""
