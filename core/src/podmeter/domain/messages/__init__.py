"""What Podmeter says: codes with parameters, whose texts are in the catalog."""

from podmeter.domain.messages.message import (
    Message,
    Reason,
    messages,
    placeholders,
    plain,
    reason,
    say,
)

__all__ = ["Message", "Reason", "messages", "placeholders", "plain", "reason", "say"]
