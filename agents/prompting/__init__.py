"""Ways to ask a text policy: several draws, plans, memory; no weights change."""
