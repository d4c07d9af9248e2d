"""Verbs that measure: suites, leagues, best replies, baselines, audits, comparisons."""
