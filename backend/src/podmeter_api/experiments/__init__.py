"""Experiments and their plans."""
