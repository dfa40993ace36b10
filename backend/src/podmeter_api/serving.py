"""Serving by uvicorn, in several processes; what each of them does is in `process`.

Imports little: the process that waits for the others would keep it in memory.
"""

import signal
import sys
from typing import Any

import uvicorn

from podmeter import logs
from podmeter.credentials.key_ring import KeyRing
from podmeter.settings import Settings
from podmeter.stack import open_files

#: Longer than a proxy keeps an idle connection (nginx and Amazon's load balancers: 60 s).
#: Whichever closes first must be the one that asks: what it had just sent is lost otherwise.
KEEP_ALIVE_SECONDS = 75
#: Connections that wait to be accepted; the kernel takes no more than net.core.somaxconn (4,096).
#: One too many is not refused, but its client asks again after 1 s, 2 s, 4 s and so on.
BACKLOG = 65_535
#: Open event streams must not keep a stopping process alive.
GRACE_SECONDS = 5
#: A process that does not answer its parent for so long is replaced. One that starts on a busy
#: machine takes a while until it does.
_HUNG_SECONDS = 30


def serve(settings: Settings) -> None:
    """Serve until a signal says stop.

    Raises MissingSettingError and PodmeterError: each process would raise them, again and again.
    """
    settings.require_database_url()
    settings.require_redis_url()
    KeyRing.parse(settings.require_encryption_keys())
    logs.configure(settings.log_level, settings.log_format)
    open_files.raise_limit()
    # With a single process uvicorn ends by the signal itself, once it has stopped in order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.run("podmeter_api.process:application", factory=True, **options(settings))


def options(settings: Settings) -> dict[str, Any]:
    """uvicorn's, but for the application."""
    return {
        "host": settings.host,
        "port": settings.port,
        "workers": settings.api_processes,
        "backlog": BACKLOG,
        "http": "podmeter_api.connection_limits:LimitedHttp",
        "ws": "none",
        "log_config": None,
        "log_level": settings.log_level,
        "server_header": False,
        # By `behind_proxies`, which must see the proxy's own address too.
        "proxy_headers": False,
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_worker_healthcheck": _HUNG_SECONDS,
    }
