"""Frozen, redacted copies of results behind unguessable, revocable links."""
