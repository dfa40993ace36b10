"""Podmeter's words as frozen types and pure functions: no I/O, no other layer imported."""
