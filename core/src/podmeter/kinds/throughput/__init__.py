"""How many bits per second each path through the cluster's network carries."""
