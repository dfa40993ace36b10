"""What commands print for the operator, and how they read arguments."""

import argparse
import sys
from collections.abc import Callable
from typing import TypeVar

Checked = TypeVar("Checked")


def checked(check: Callable[[str], Checked]) -> Callable[[str], Checked]:
    """What reads an argument, and says what is wrong with it as the check does."""

    def read(given: str) -> Checked:
        try:
            return check(given)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def tell(message: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(f"podmeter-admin: {message}\n")
