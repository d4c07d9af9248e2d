"""Bodies that walk: three in a plane with closed-form kinematics, and an ant in space.

Read `planar_base.py` and `walker.py`; `ant.py` stands alone.
"""
