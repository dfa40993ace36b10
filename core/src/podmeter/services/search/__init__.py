"""Finding runs, experiments and clusters again: what people say of them, and search."""
