"""A Redis that is not there."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def away() -> redis.Redis:
    """Its client says so at once: by itself it would try again for seconds."""
    return redis.Redis("127.0.0.1", 1, retry=Retry(NoBackoff(), 0))
