"""A pod network of the tests' own: its declaration. Its steps are in worker/tests/modes/toynet."""
