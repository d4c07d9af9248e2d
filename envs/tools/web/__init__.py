"""Web: generated sites without scripts, in a browser of our own or over HTTP.

Read `dom.py`, `site.py`, `browser.py`, a file of `templates`, then `env.py`.
"""
