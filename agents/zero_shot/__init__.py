"""Zero-shot agents: pre-trained without reward, prompted with any reward."""
