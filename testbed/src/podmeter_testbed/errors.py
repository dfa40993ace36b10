"""What can go wrong, in words for the person at the terminal."""


class TestbedError(Exception):
    """Something a person can fix: the message says what is wrong and how."""

    __test__ = False  # the name starts with Test, but it is no pytest class
