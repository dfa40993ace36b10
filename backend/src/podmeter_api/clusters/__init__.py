"""Registered clusters."""
