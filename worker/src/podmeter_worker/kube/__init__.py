"""Talking to a cluster's API server. Nothing outside this folder knows its HTTP."""
