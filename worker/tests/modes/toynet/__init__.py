"""A switcher of the tests' own: its steps. Its declaration is in core/tests/toynet."""
