"""What can go wrong while the stack starts, said so that the reader knows what to do."""


class StackError(RuntimeError):
    """The stack cannot start or go on; the message says why and how to fix it."""
