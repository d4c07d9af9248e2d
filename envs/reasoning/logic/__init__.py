"""Logic: what follows, who lies, and puzzles with one solution."""
