"""Small machines: run automata and programs by hand, or find the program behind examples.

Read `stack_machine.py` first.
"""
