"""A real two-node Kubernetes on one Linux machine, for Podmeter's tests and demo."""
