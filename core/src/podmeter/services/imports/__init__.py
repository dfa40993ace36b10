"""What others measured and somebody pasted, kept as a run."""
