"""Router: questions that only experts of their topics can answer, each at a price.

Read `facts.py` (the world), `experts.py` (pools of experts), `reward.py`, `env.py`.
"""
