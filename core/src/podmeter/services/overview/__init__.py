"""What the organization's clusters cost, as their latest runs found it."""
