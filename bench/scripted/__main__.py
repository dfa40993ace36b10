"""Serve a scripted cluster: `python -m bench.scripted [--name NAME] [--seconds N]`.

Prints its kubeconfig on one line once it answers, and ends by SIGTERM. SIGUSR1 cuts its API server
off, SIGUSR2 has it listen again, on the same port.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Awaitable, Callable

from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import end_on_sigterm


def main() -> None:
    """Serve until the end."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--name", default="scripted")
    parser.add_argument("--seconds", type=float, help="how long a measurement takes")
    given = parser.parse_args()
    end_on_sigterm()
    with Loop() as loop:
        cluster = ScriptedCluster(given.name, measuring_seconds=given.seconds)
        loop.wait(cluster.start())

        def on(number: signal.Signals, doing: Callable[[], Awaitable[None]]) -> None:
            async def body() -> None:
                await doing()

            signal.signal(number, lambda *_: loop.begin(body()))

        on(signal.SIGUSR1, cluster.server.cut)
        on(signal.SIGUSR2, cluster.server.listen)
        print(cluster.server.kubeconfig(given.name), flush=True)
        while True:
            signal.pause()


if __name__ == "__main__":
    main()
