"""Folders of an episode, in which scripts of a model run: the files are the state.

Read `folder.py` (the files), `bash.py` (the tool), `world.py` (the base of worlds).
"""
