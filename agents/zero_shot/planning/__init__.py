"""Planners of agents that have a model of their world."""
