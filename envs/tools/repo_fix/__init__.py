"""RepoFix: small Python repositories with failing tests, to be read, edited and tested.

Read `units.py` and `catalogue.py` (functions and their bugs), `repository.py` (a repository drawn
from them), `tools.py`, `judge.py`, `env.py`.
"""
