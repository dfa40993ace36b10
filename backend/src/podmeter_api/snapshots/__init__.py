"""Snapshots, as their owners see them."""
