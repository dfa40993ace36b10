"""Serving by uvicorn, in several processes; what each of them does is in `process`.

Imports little: the process that waits for the others would keep it in memory.
"""

import signal
import socket
import sys
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from podmeter import logs
from podmeter.credentials.key_ring import KeyRing
from podmeter.settings import Settings
from podmeter.stack import open_files
from podmeter.stack.errors import StackError

#: Longer than a proxy keeps an idle connection (nginx and Amazon's load balancers: 60 s).
#: The client must close first: otherwise what it has just sent is lost.
KEEP_ALIVE_SECONDS = 75
#: Connections that wait to be accepted, of each socket that listens; the kernel takes no more than
#: net.core.somaxconn (4,096). One too many is not refused, but its client asks again after 1 s,
#: 3 s, 7 s and so on, for every client. So several sockets listen, and the kernel distributes them.
BACKLOG = 65_535
LISTENERS = 4
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
    config = uvicorn.Config("podmeter_api.process:application", factory=True, **options(settings))
    sockets = listeners(settings.host, settings.port)
    if settings.api_processes > 1:
        Multiprocess(config, sockets).run()
    else:
        uvicorn.Server(config).run(sockets)


def listeners(host: str, port: int) -> list[socket.socket]:
    """Sockets for the same port, which all processes share: none of their connections is lost
    when a process is replaced. Raises StackError where something listens there already.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # The others share the port with any process of this account, so this one asks first.
        with socket.socket(family) as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            alone.bind((host, port))
            alone.listen()
            port = alone.getsockname()[1]
        found = []
        for _ in range(LISTENERS):
            one = socket.socket(family)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            one.bind((host, port))
            found.append(one)
    except OSError as error:
        raise StackError(f"cannot listen on {host}, port {port}: {error.strerror}") from error
    return found


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
