"""Agents: policies, and how they learn."""
