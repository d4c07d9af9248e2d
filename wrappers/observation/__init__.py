"""Changed observations: failing sensors, histories, pictures, projections, delays.

Read `partial_observation.py` first.
"""
