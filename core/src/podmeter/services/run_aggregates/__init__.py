"""What is computed once of a finished run and kept with it."""
