"""Games: rules as pure functions, with exact values, opponents and several views each.

Read `core`, then a game (`cards/kuhn_poker.py` is the smallest), then `views`; a new game is one
file and one line of the registry.
"""
