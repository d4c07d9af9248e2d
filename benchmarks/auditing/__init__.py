"""The audit of text environments: scores of right, wrong and hostile replies, and determinism.

`zerogym audit ID ...` runs it on any Gymnasium environment whose observations and actions are
texts, ours or not. Each check is a function of one file here and runs in a child process that can
be killed, so that a scorer that hangs or crashes is a finding and not the end of the audit.
"""
