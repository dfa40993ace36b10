"""Runs beside an article whose experiment they are: its tables, and its claims of our figures."""
