"""What the clusters cost, in one answer."""
