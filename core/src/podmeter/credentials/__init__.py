"""Credentials: taken in sanitized, kept encrypted, checked before use, redacted when shared."""
