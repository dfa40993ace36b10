"""What can be switched in a cluster: one component a file, listed in `registry`."""
