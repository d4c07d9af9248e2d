"""Zero-shot agents: pre-trained without reward, prompted with any reward.

Read `config.py`; then, each above the one before: `data`, `models`, `representations`,
`algorithms`, `prompts`, `training`. `example.py` shows all.
"""
