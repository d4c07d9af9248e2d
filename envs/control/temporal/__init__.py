"""Tasks with a memory: temporal logic over finite traces, reward machines, signal temporal logic.

Read `ltlf.py`, `dfa.py`, `reward_machines.py`, `labelling.py`, `missions.py`; apart from them
`stl.py`.
"""
