"""The audit log: what is noted of each operation that changes something, and how it is read."""
