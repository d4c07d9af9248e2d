"""Any game as an environment: one seat for Gymnasium, all seats for PettingZoo.

Read `single_seat.py` with `episode.py`; then `aec.py` and `parallel.py`.
"""
