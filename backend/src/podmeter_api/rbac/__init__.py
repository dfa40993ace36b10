"""The manifest that a cluster's owner applies."""
