"""Explorers: agents that act without a reward, and the data that they leave."""
