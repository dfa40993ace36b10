"""Specifications to start from, as pages and programs read them."""
