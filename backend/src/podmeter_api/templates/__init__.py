"""Specifications to start from."""
