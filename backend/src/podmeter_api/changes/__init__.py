"""What changed from one run of an experiment to another."""
