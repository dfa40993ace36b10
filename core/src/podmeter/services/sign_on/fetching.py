"""HTTP to the provider: addresses checked as they are connected to, answers small and in time."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import ServerRefusedError
from podmeter.credentials.server_url import parse_server_url, resolve_checked
from podmeter.domain.messages import say
from podmeter.services.sign_on.configuration import is_plain
from podmeter.services.sign_on.errors import ProviderError

#: For one answer as a whole, in seconds: one that drips must end too.
DEADLINE = 10.0
_CONNECT = 5.0
MOST_BYTES = 1024 * 1024


def client(policy: AddressPolicy, authorities: str | None, deadline: float = DEADLINE) -> Any:
    """An httpx client that follows nobody, and asks no proxy and no netrc."""
    return httpx.Client(
        transport=CheckedTransport(policy, authorities, deadline),
        timeout=httpx.Timeout(deadline, connect=min(_CONNECT, deadline)),
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        follow_redirects=False,
        trust_env=False,
    )


class CheckedTransport(httpx.BaseTransport):
    """Connects to addresses that the policy lets through; TLS and the Host header have the name."""

    def __init__(self, policy: AddressPolicy, authorities: str | None, deadline: float) -> None:
        self._policy, self._deadline = policy, deadline
        trusted = httpx.create_ssl_context()
        if authorities:
            trusted.load_verify_locations(cadata=authorities)
        self._inner = httpx.HTTPTransport(verify=trusted, trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One answer, read whole. Raises httpx.HTTPError, ServerRefusedError."""
        ends = time.monotonic() + self._deadline
        host = request.url.host
        request.url = request.url.copy_with(host=self._address(str(request.url)))
        request.extensions = {**request.extensions, "sni_hostname": host}
        answer = self._inner.handle_request(request)
        try:
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise httpx.DecodingError("an encoding that was not asked for")
            body = bytearray()
            for chunk in answer.iter_raw():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise httpx.DecodingError("too long an answer")
                if time.monotonic() > ends:
                    raise httpx.ReadTimeout("too slow an answer")
        finally:
            answer.close()
        return httpx.Response(answer.status_code, headers=answer.headers, content=bytes(body))

    def close(self) -> None:
        """Let go of what is connected."""
        self._inner.close()

    def _address(self, url: str) -> str:
        # TLS or not, the same is checked; what is neither is refused by its scheme.
        text = f"https{url.removeprefix('http')}" if is_plain(url) else url
        parsed = parse_server_url(text.partition("?")[0])
        return resolve_checked(parsed, _resolve, self._policy).address


def _resolve(host: str, port: int) -> Iterator[str]:
    for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        yield str(address[0])


@contextmanager
def provider_errors(url: str, what: str) -> Iterator[None]:
    """Raises ProviderError for what is raised inside: what is wrong with `what` at `url`.

    An answer that has no meaning is a ValueError, KeyError or TypeError of who reads it.
    """
    host = urlsplit(url).netloc
    try:
        yield
    except ServerRefusedError as error:
        said = say("provider_address", host=host, why=error.message)
        mend = "mend_provider_name" if error.reason == "unresolved" else "mend_provider_address"
        raise ProviderError(said, say(mend)) from error
    except httpx.TimeoutException as error:
        raise ProviderError(say("provider_slow", host=host), say("mend_provider_away")) from error
    except httpx.TransportError as error:
        if _of_tls(error):
            said = say("provider_certificate", host=host)
            raise ProviderError(said, say("mend_provider_certificate")) from error
        if isinstance(error, httpx.DecodingError):
            raise _rubbish(host, what) from error
        said = say("provider_unreachable", host=host)
        raise ProviderError(said, say("mend_provider_away")) from error
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        said = say("provider_status", host=host, what=what, status=status)
        raise ProviderError(said, say("mend_provider_status")) from error
    except (ValueError, KeyError, TypeError, AttributeError, httpx.HTTPError) as error:
        raise _rubbish(host, what) from error


def _rubbish(host: str, what: str) -> ProviderError:
    return ProviderError(say("provider_rubbish", host=host, what=what), say("mend_provider_issuer"))


def _of_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
