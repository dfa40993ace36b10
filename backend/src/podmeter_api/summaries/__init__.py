"""A run's summaries."""
