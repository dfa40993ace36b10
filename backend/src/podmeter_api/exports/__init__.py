"""Runs and comparisons as files."""
