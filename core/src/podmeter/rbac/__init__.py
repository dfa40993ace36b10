"""What Podmeter may do in a cluster, and the manifest that allows it."""
