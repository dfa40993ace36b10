"""Cluster modes: one switcher for each component that can be switched, listed in `registry`."""
