"""Board games of perfect information, and battleship, whose fleets are hidden.

Read `tic_tac_toe.py` first; the files `*_board.py` hold bitboards.
"""
