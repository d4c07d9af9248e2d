"""Tasks in the form that one other library expects, one module a library.

Importing a module does not import its library.
"""
