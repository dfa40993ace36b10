"""Accounts: logging in, API tokens, the first administrator."""
