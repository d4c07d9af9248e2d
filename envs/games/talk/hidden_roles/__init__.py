"""Games of talk in which somebody hides a role, and the others find out by talking and voting.

Read `spy_scene.py` and `spy.py`; then `deduction_ship.py`, `deduction_rounds.py` and
`social_deduction.py`.
"""
