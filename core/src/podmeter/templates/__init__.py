"""Specifications to start from: what articles measured, with their values and a quick variant."""
