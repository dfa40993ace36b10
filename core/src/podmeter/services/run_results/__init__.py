"""What runs measured, read at once and shaped for summaries, comparisons and snapshots."""
