"""The verbs of the command `zerogym`, one a file.

Heavy imports are inside the verbs, so that `zerogym --help` is fast.
"""
