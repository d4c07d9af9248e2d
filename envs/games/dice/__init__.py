"""Games of dice: pushing one's luck, bluffing about a die, backgammon.

Read `pig.py` first.
"""
