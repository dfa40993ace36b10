"""Baseline against contender: cases paired, environments checked, effects with a verdict."""
