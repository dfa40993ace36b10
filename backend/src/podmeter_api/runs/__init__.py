"""Runs and all they yield."""
