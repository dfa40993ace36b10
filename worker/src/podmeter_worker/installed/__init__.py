"""What an installation in a cluster asks of Podmeter, by commands that run in its pods."""
