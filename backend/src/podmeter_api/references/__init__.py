"""Published figures."""
