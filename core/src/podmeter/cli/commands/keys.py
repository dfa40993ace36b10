"""Secrets to set, and the keys that encrypt credentials."""

from __future__ import annotations

import sys

from podmeter.settings import Settings


def run_new_key(_: Settings) -> None:
    """Print a key for PODMETER_ENCRYPTION_KEYS."""
    from podmeter.credentials.key_ring import generate_key

    sys.stdout.write(generate_key() + "\n")


def run_new_token(_: Settings) -> None:
    """Print a token for PODMETER_FIRST_TOKEN."""
    from podmeter.domain.api_tokens import make_api_token

    sys.stdout.write(make_api_token() + "\n")


def run_keys_status(settings: Settings) -> int:
    """Say what is under which key; 2 while an old key is still needed."""
    from podmeter.stack.keys import status

    return status(settings)


def run_keys_rotate(settings: Settings) -> int:
    """Re-encrypt what is under an old key; 2 while an old key is still needed."""
    from podmeter.stack.keys import rotate

    return rotate(settings)
