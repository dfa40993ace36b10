"""The commands, a module for each; each imports what it needs when it runs."""
