"""The gradient side of a training step: trajectories as tensors, micro-batches, the optimiser.

Read `rows.py`, `learner.py`, `optimizer.py`; `packing.py` avoids padding.
"""
