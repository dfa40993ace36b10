"""Sites for the switchers' tests."""

from .sites import node_shells, open_here, stood  # noqa: F401
