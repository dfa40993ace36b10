"""How far a cluster differs from itself: measured, computed from its runs, and looked up."""
