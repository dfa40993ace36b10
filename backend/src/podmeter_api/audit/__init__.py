"""/audit: who did what."""
