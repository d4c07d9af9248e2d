"""The learners that follow an intrinsic reward: DQN and DDPG on one base class.

Read `base.py`; `registry.py` names the explorers.
"""
