"""What Podmeter says: codes with parameters, and the English sentence of each code."""

from podmeter.domain.messages.catalog import CATALOG, placeholders
from podmeter.domain.messages.message import Message, Reason, plain, reason, say

__all__ = ["CATALOG", "Message", "Reason", "placeholders", "plain", "reason", "say"]
