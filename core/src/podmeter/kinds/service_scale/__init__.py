"""What the number of Services costs: requests, latency, convergence and rule changes."""
