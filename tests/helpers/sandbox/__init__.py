"""Programs that try to get out of the sandbox, as data, and the range that they are shot in.

Read `attacks.py` and `attack_range.py`.
"""
