"""Control: grids and physics without a reward of their own; tasks are data."""
