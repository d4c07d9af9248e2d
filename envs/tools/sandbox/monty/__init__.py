"""Level `monty`: pure Python computation in another interpreter, half a millisecond a call.

Read `monty.py`.
"""
