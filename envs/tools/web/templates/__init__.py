"""Templates of sites, several of a kind in a file; `../sample.py` has their names."""
