"""Steps a second of control worlds, single and many at once, beside bare simulators and peers.

Read `steps.py`.
"""
