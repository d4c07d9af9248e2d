"""Offline agents beside policies that only count: `python -m zerogym.benchmarks.offline`.

Read `data.py`, `rivals.py` and `agents.py`, then `study.py`. The committed results are in
`docs/studies/offline.json`, and the page in `docs/studies/offline.md`.
"""
