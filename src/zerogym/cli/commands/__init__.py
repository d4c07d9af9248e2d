"""The verbs of the command `zerogym`, one a file.

Each imports what is heavy when it runs, so that `zerogym --help` answers at once.
"""
