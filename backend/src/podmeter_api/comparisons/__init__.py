"""Comparisons of runs and cases."""
