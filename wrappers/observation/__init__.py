"""What an agent senses, and when: failing sensors, histories, pictures, projections, delays.

Read `partial_observation.py` first.
"""
