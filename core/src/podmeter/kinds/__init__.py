"""The kinds of experiment: one module each, listed in `registry`."""
