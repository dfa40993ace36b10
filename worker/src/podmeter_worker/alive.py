"""Whether the worker of this machine is alive, for a container's health check.

`python -m podmeter_worker.alive` exits with 1 where none of its parts gave a sign of life of late.
Where Redis is away or refuses to write, none could be given, and the worker is not to blame: it
exits with 0. Redis is asked only where the files of the parts do not tell already that all go on,
so what asks it is imported then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from podmeter_worker import heartbeat_files

if TYPE_CHECKING:
    import redis

_PATIENCE_SECONDS = 2.0
#: Two beats. Less than a part may be silent (`podmeter.stack.heartbeats`), after which Redis knows.
_FRESH_SECONDS = 10.0


def problem(client: redis.Redis, machine: str) -> str | None:
    """What is wrong with the parts that run on a machine; None where all is well."""
    import redis

    from podmeter.stack import shortages
    from podmeter.stack.heartbeats import Health, lives
    from podmeter.stack.shortages import Resource

    try:
        own = [life for life in lives(client) if life.name == machine]
        # Signs of life are written as long as it only warns.
        short = {shortage.resource for shortage in shortages.of_broker(client)}
        if Resource.BROKER_WRITES in short:
            return None
    except redis.RedisError:
        return None
    if not own:
        return f"no sign of life from {machine}"
    silent = [life.part for life in own if life.health is not Health.OK]
    return f"silent: {', '.join(silent)}" if silent else None


def main() -> None:
    """Look, and exit."""
    if heartbeat_files.all_fresh(heartbeat_files.folder(), _FRESH_SECONDS):
        return
    import redis

    from podmeter.settings import MissingSettingError, get_settings
    from podmeter.stack.heartbeats import name_of

    try:
        url = get_settings().require_redis_url()
    except MissingSettingError as error:
        sys.exit(f"podmeter: {error}")
    timeouts = {"socket_timeout": _PATIENCE_SECONDS, "socket_connect_timeout": _PATIENCE_SECONDS}
    sys.exit(problem(redis.Redis.from_url(url, **timeouts), name_of()))


if __name__ == "__main__":
    main()
