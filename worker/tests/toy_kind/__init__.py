"""A kind of experiment in a folder of its own, with a tool that does not exist."""
