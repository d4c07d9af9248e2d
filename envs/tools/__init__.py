"""Tools: worlds in which the policy must run something (SQL, code, search) to succeed.

Read `tool.py` and `toolbox.py`; worlds are `sql`, `notebook` and `code_triplet`, tools the other
folders.
"""
