"""Benchmarks: suites, runner, statistics and report."""
