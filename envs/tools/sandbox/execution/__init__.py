"""One call: start a sandbox, put files in, watch what it uses, end it, judge from outside.

Read `execute.py`, `started.py`, `watch.py`.
"""
