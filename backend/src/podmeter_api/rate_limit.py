"""How often logins may fail, counted in Redis for all API processes together.

As logins count what lets somebody in as they do: links, and the password that one is changed from.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import redis

from podmeter.domain.messages import say
from podmeter.services.errors import AuthenticationError, NotFoundError, WrongPasswordError
from podmeter_api.errors import HttpProblemError

WINDOW_SECONDS = 300
#: An address may fail this many times as often for all accounts together.
ADDRESS_FACTOR = 10


#: In the place of an account, for links that nobody made: they are guessed for none.
LINK = "a link"
#: And for sign-ons whose provider says nobody that is believed.
SIGN_ON = "a sign-on"


class LoginLimit:
    """Counts failed logins by address and account, and by address.

    Not by account alone: else anyone could lock anyone out.
    """

    def __init__(self, client: redis.Redis, attempts: int) -> None:
        self.client = client
        self.attempts = attempts

    @contextmanager
    def counting(self, address: str, email: str) -> Iterator[None]:
        """Count it as a failure where what is done inside refuses to let in.

        Raises HttpProblemError as `check` and `failed`, and whatever is raised inside.
        """
        self.check(address, email)
        try:
            yield
        except (AuthenticationError, WrongPasswordError, NotFoundError):
            self.failed(address, email)
            raise

    def check(self, address: str, email: str) -> None:
        """Raises HttpProblemError when too many logins failed, or nothing can be counted."""
        limits = (self.attempts, self.attempts * ADDRESS_FACTOR)
        with broker_needed():
            for key, limit in zip(_keys(address, email), limits, strict=True):
                if int(self.client.get(key) or 0) >= limit:
                    raise _too_many(max(1, int(self.client.ttl(key))))

    def failed(self, address: str, email: str) -> None:
        """Count a failed login. Raises HttpProblemError when nothing can be counted."""
        with broker_needed(), self.client.pipeline() as pipeline:
            for key in _keys(address, email):
                # The window begins with the first failure and is not prolonged by later ones.
                pipeline.set(key, 0, ex=WINDOW_SECONDS, nx=True)
                pipeline.incr(key)
            pipeline.execute()


@contextmanager
def broker_needed() -> Iterator[None]:
    """Without counting nobody is let in: else guessing would be free while Redis is away."""
    try:
        yield
    except redis.RedisError as error:
        raise HttpProblemError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "broker_away",
            say("logins_uncounted"),
            headers={"Retry-After": "5"},
        ) from error


def _too_many(seconds: int) -> HttpProblemError:
    return HttpProblemError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too_many_logins",
        say("logins_too_many", seconds=seconds),
        headers={"Retry-After": str(seconds)},
    )


def _keys(address: str, email: str) -> tuple[str, str]:
    return (f"podmeter:login:{address}:{email.lower()}", f"podmeter:login:{address}")
