"""The seat of a proposer: it chooses the parameters of problems that another player solves.

Read `parameter_creator.py`.
"""
