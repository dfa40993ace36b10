"""One module for each tool: the command to run, and what its output says. No I/O."""
