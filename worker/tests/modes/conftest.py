"""Sites for the switchers' tests."""

from .contexts import node_shells, open_here, stood  # noqa: F401
