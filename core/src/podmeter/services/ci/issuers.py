"""The issuers that trusts name, with their keys as long as these count."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.services.ci.errors import CiIssuerError
from podmeter.services.sign_on.errors import ProviderError

if TYPE_CHECKING:
    from podmeter.services.sign_on.issuer import Issuer

logger = logging.getLogger(__name__)
#: So many are remembered: administrators name them, one or two each.
MOST = 100


class Issuers:
    """Verifies tokens of jobs; made once, and safe to use from several threads."""

    def __init__(self, addresses: AddressPolicy, authorities: str | None) -> None:
        self._addresses, self._authorities = addresses, authorities
        self._known: OrderedDict[str, Issuer] = OrderedDict()
        self._lock = threading.Lock()

    def verified(self, token: str, issuer: str, audience: str) -> Mapping[str, Any]:
        """The claims of a token of this issuer. Raises CiRefusedError, CiIssuerError."""
        from podmeter.services.ci.job_token import verified

        try:
            return verified(token, self._issuer(issuer).keys, issuer=issuer, audience=audience)
        except ProviderError as error:
            logger.warning("%s cannot be asked for its keys: %s", issuer, error.message)
            raise CiIssuerError(issuer) from error

    def _issuer(self, url: str) -> Issuer:
        from podmeter.services.sign_on.issuer import Issuer

        with self._lock:
            found = self._known.pop(url, None) or Issuer(url, self._addresses, self._authorities)
            self._known[url] = found
            if len(self._known) > MOST:
                self._known.popitem(last=False)
            return found
