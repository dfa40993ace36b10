"""`podmeter-admin doctor`: what is well, what is not, and how to fix it."""
