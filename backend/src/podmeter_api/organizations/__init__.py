"""Organizations, and what each may have."""
