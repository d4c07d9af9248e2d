"""Documents that can be searched and read part by part: generated worlds, or files of one's own.

Read `corpus.py` and `tools.py`.
"""
