"""Training objectives of F and B: successor measures, features, conservative penalties.

Read `fb_losses.py` and `representations.py`.
"""
