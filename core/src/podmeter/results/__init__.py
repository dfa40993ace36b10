"""The results table: its rows, and the rows that analyses project from them (ADR 0008)."""
