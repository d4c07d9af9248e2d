"""Control: worlds and physics without a reward of their own; tasks are data.

Read `core`, then one world: `classic` is the smallest. `temporal` has tasks with a memory,
`tabular` the exact models.
"""
