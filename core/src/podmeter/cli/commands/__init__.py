"""The commands of `podmeter-admin`, a module for each group."""
