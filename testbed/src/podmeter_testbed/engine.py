"""A Docker engine in namespaces of its own, with Compose, for where there is none to be used.

Neither the machine's interfaces nor its rules are touched: the engine's network is a namespace that
reaches the outside as an ordinary program would (slirp4netns), and ends with the engine. Registries
are not needed: the base image is made from Debian's packages, and so are stand-ins for those images
of others that docker-compose.yml names.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from podmeter_testbed import builds, cgroups, debian, requirements, stages
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import PROJECT, Layout
from podmeter_testbed.progress import step
from podmeter_testbed.shell import run, wait_for

STAND_INS = {"postgres:17": "postgres", "redis:8": "redis"}
PLUGINS = {"docker-compose": builds.COMPOSE, "docker-buildx": builds.BUILDX}
# slirp4netns' own resolver, which asks the machine's.
RESOLVER = "10.0.2.3"
# Reports its PID in the outer namespace, and continues once its network exists.
INIT = """
read -r pid rest </proc/self/stat
echo "$pid"
read -r go
mount -t proc proc /proc
mount -t tmpfs -o mode=755 podmeter-engine /run
echo 1 >/proc/sys/net/ipv4/ip_forward
exec tini -g -- dockerd --config-file "$1"
"""
STARTS_WITHIN = 60.0


@dataclass(frozen=True)
class Engine:
    """An engine that answers; `pid` is its first process, as this machine sees it."""

    pid: int
    state: Path

    @property
    def environment(self) -> dict[str, str]:
        """What `docker` and `docker compose` need to use it."""
        return {
            **os.environ,
            "DOCKER_HOST": f"unix://{self.state}/docker.sock",
            "DOCKER_CONFIG": f"{self.state}/config",
            "DOCKER_BUILDKIT": "1",
        }

    def inside(self, *argv: str | Path) -> list[str]:
        """The command line that runs `argv` where published ports are reached."""
        return ["nsenter", "--target", str(self.pid), "--net", "--", *map(str, argv)]

    def docker(self, *argv: str | Path, timeout: float = 600) -> str:
        """Standard output of `docker`."""
        return run("docker", *argv, env=self.environment, timeout=timeout)


@contextlib.contextmanager
def started(layout: Layout) -> Iterator[Engine]:
    """An engine that has the images that cannot be pulled here; nothing of it is left after."""
    built = all(builds.is_built(layout.cache, component) for component in PLUGINS.values())
    requirements.check_engine(built=built)
    plugins_built = (builds.stage(layout.cache, component) for component in PLUGINS.values())
    stages.run(layout.cache, [*plugins_built, debian.stage(layout.cache)])
    base = debian.output(layout.cache)
    with tempfile.TemporaryDirectory(
        prefix="podmeter-engine-", ignore_cleanup_errors=True
    ) as folder:
        state = Path(folder)
        plugins = state / "config" / "cli-plugins"
        plugins.mkdir(parents=True)
        for plugin, component in PLUGINS.items():
            program = builds.output(layout.cache, component) / component.binaries[0]
            (plugins / plugin).symlink_to(program)
        try:
            with _running(state) as engine:
                with step("making the images that a registry would have"):
                    engine.docker("import", "--change", "CMD bash", base, debian.IMAGE)
                    for image, name in STAND_INS.items():
                        engine.docker(
                            "build", "--tag", image, PROJECT / "testbed" / "images" / name
                        )
                yield engine
        finally:
            # The kernel takes mounts apart a little after the last process.
            wait_for(f"{state} to be removable", lambda: _removed(state), 60)
            cgroups.remove(name=state.name)


def run_command(layout: Layout, argv: list[str]) -> int:
    """Run a command with an engine: a running one, or a temporary one."""
    if answers(dict(os.environ)):
        return subprocess.run(argv, check=False).returncode
    with started(layout) as engine:
        return subprocess.run(engine.inside(*argv), env=engine.environment, check=False).returncode


def answers(environment: dict[str, str]) -> bool:
    """Whether `docker` reaches an engine."""
    with contextlib.suppress(TestbedError):
        run("docker", "version", env=environment, timeout=20)
        return True
    return False


@contextlib.contextmanager
def _running(state: Path) -> Iterator[Engine]:
    settings = {
        "hosts": [f"unix://{state}/docker.sock"],
        "data-root": f"{state}/data",
        "exec-root": "/run/docker",
        "pidfile": "/run/docker.pid",
        "deprecated-key-path": f"{state}/key.json",
        "cgroup-parent": f"/{state.name}",
        "dns": [RESOLVER],
        "log-level": "warn",
    }
    (state / "daemon.json").write_text(json.dumps(settings))
    log = state / "dockerd.log"
    # Whatever becomes of this process, they end with it.
    bound = ("setpriv", "--pdeathsig", "KILL", "--")
    namespaces = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child")
    with contextlib.ExitStack() as stack, log.open("wb") as output:
        init = subprocess.Popen(
            [*bound, *namespaces, "sh", "-c", INIT, "sh", str(state / "daemon.json")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
        stack.callback(_end, init)
        if init.stdin is None or init.stdout is None:
            raise ValueError("the process was started without pipes")
        engine = Engine(int(init.stdout.readline()), state)
        words = ("slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback")
        network = subprocess.Popen(
            [*bound, *words, str(engine.pid), "tap0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=output,
        )
        stack.callback(_end, network)
        links = ("ip", "route", "show", "default")
        wait_for("the engine's network", lambda: bool(run(*engine.inside(*links)).strip()), 20)
        init.stdin.write("go\n")
        init.stdin.close()

        def settled() -> bool:
            return init.poll() is not None or answers(engine.environment)

        wait_for("the engine", settled, STARTS_WITHIN)
        if init.poll() is not None:
            raise TestbedError(f"dockerd ended: {log.read_text()[-2000:]}")
        yield engine


def _end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)
        return True
    return not folder.exists()
