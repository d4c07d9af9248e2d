"""Self-play: a learner against its earlier selves, and which of them it should meet."""
