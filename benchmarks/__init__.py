"""Benchmarks: suites, leagues, audits, speed and studies, and the pages about them.

Read `results`, then `suites`; `studies` compares methods, `speed` libraries.
"""
