"""Speed: throughput of our code beside a peer or a floor, measured in the same run.

Each file is a command: `python -m zerogym.benchmarks.speed.tools`; `loops.py` takes the turns.
"""
