"""Experiments: read, kept, planned."""
