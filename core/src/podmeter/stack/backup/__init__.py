"""Backups of the database: made, looked at, restored."""
