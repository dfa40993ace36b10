"""Runs: started, read, steered, and led through their life."""
