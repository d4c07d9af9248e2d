"""Pages, pictures and terminal tables about a run.

Read `report.py` and `page.py`; `charts.py` draws.
"""
