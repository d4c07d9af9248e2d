"""Numbers and algebra: calculate, count, solve and convert; answers are exact."""
