"""Runs and comparisons as files: JSON, CSV, Markdown. One file for each format."""
