"""Text from tools and clusters, made fit for PostgreSQL: no NUL, no half characters."""

from podmeter.domain.messages import Message


def clean(text: str) -> str:
    """The text with U+FFFD for what cannot be stored; raw output is kept as bytes instead."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def clean_said(text: str) -> str:
    """The same of what is said: all text in it; '' stays ''."""
    return Message.of(text).cleaned(clean) if text else ""
