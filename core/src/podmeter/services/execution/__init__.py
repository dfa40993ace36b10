"""The worker's side of a run: taking it, what is left of it, its modes, blocks and end."""
