"""What the networks are trained to be: successor measures, features, and penalties on unseen
actions.

Read `fb_losses.py` and `representations.py`.
"""
