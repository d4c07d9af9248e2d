"""The learners that follow an intrinsic reward: DQN and DDPG on one skeleton.

Read `base.py`; `registry.py` names the explorers.
"""
