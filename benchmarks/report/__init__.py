"""Pages, pictures and terminal tables about a run.

Read `report.py` and `page.py`; `svg.py` draws.
"""
