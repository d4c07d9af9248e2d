"""The tasks: rules and truth. This layer knows nothing of agents."""
