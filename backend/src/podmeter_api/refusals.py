"""Which refused logins get an entry in the audit log: a stranger may fail without end.

Of an account at an address, or of unknown accounts at one, the first failure of an hour has an
entry, then the tenth, the hundredth and so on, each with how many there were. So has an account
that fails from many addresses, from its hundredth failure on. Refused jobs of a CI count for their
trust, and refused sign-ons of nobody who is known for the organization.
"""

from collections.abc import Callable

import redis

from podmeter_api.callers import network_of
from podmeter_api.rate_limit import broker_needed

WINDOW_SECONDS = 3600
#: Entries of one account or trust, and of all unknown accounts together, before only powers of ten
#: have one.
MOST_ENTRIES = 100


def counted_refusals(client: redis.Redis, address: str) -> Callable[[str], int | None]:
    """Counts a refusal of somebody (empty for who is unknown) at an address.

    It gives how many there were if an entry is due, None if none is. Raises HttpProblemError.
    """

    def count(whom: str) -> int | None:
        each = f"podmeter:refused:{whom or 'unknown'}"
        with broker_needed():
            there = _increment(client, f"{each}:{network_of(address)}")
            if not _is_power_of_ten(there):
                return None
            entries = _increment(client, each)
        return there if entries <= MOST_ENTRIES or _is_power_of_ten(entries) else None

    return count


def _increment(client: redis.Redis, key: str) -> int:
    with client.pipeline() as pipeline:
        # The window begins with the first one and is not prolonged by later ones.
        pipeline.set(key, 0, ex=WINDOW_SECONDS, nx=True)
        pipeline.incr(key)
        return int(pipeline.execute()[-1])


def _is_power_of_ten(number: int) -> bool:
    return str(number).rstrip("0") == "1"
