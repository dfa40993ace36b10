"""nginx as the answering end: one fixed body, from memory, runnable without any rights."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.reading import complaint
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.ports import CommandOutput


#: In which a server says its own name, so that it is known which of several has answered.
NAME_HEADER = "x-podmeter-server"

#: No disk is touched: no log, all temporary paths below /tmp. The backlog is what the kernel
#: allows at most, so that a burst of connections overflows only where the node's limit says so.
_CONFIGURATION = """\
daemon off; pid /tmp/nginx.pid; error_log stderr warn; worker_processes auto;
events {{ worker_connections 8192; }}
http {{
  access_log off; default_type text/plain; keepalive_requests 100000000; keepalive_timeout 300s;
  client_body_temp_path /tmp/body; proxy_temp_path /tmp/proxy; fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi; scgi_temp_path /tmp/scgi;
  server {{ {listen} {header} {answer} }}
}}
"""


def server_argv(port: int, body_bytes: int, *, named: bool = False) -> tuple[str, ...]:
    """Answer GET / on `port` with `body_bytes` bytes, at most 4,000: nginx keeps no longer text.

    A `named` server gives its host name with each response.
    """
    if not 1 <= body_bytes <= 4000:
        raise ValueError(f"a body of {body_bytes} bytes cannot be kept in the configuration")
    header = f"add_header {NAME_HEADER} $hostname;" if named else ""
    answer = f'location = / {{ return 200 "{"x" * body_bytes}"; }}'
    return program.argv(TOOL.name, _configured([port], answer, header))


def files_argv(ports: Iterable[int], sizes: Iterable[int]) -> tuple[str, ...]:
    """Answer GET /<bytes> on each port with so many bytes, for each of the sizes."""
    answer = "root /tmp/www; sendfile on; tcp_nopush on; etag off;"
    return program.argv(TOOL.name, _configured(ports, answer), *map(str, sizes))


def _configured(ports: Iterable[int], answer: str, header: str = "") -> str:
    listen = " ".join(f"listen {port} backlog=65535;" for port in ports)
    return _CONFIGURATION.format(listen=listen, header=header, answer=answer)


def parse_version(output: CommandOutput) -> str:
    """The version, such as `1.26.3`; nginx writes it to standard error."""
    found = re.search(r"nginx/(\S+)", output.stderr)
    if found is None:
        raise ToolError(say("tool_no_version", tool="nginx", said=complaint(output)))
    return found[1]


TOOL = Tool("nginx", ("nginx", "-v"), parse_version)
