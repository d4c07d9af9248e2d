"""Changed rewards: form and length of replies, budgets of cost, reward machines.

Read `reply_rewards.py` first.
"""
