"""Runs on the testbed whose right verdict is known: A/A, where nothing differs, and A/B."""
