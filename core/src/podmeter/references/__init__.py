"""Published figures, each traceable to its place in its source; data files in `data/`."""
