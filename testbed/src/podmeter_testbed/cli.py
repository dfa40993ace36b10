"""podmeter-testbed: what the make targets call."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from podmeter_testbed import (
    bench,
    engine,
    footprint,
    ingress,
    lifecycle,
    loading,
    machines,
    requirements,
    status,
)
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.helm import Helm
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CONTROL_PLANE, FURTHER_NODES, NODES, Layout
from podmeter_testbed.progress import say
from podmeter_testbed.settings import AddOn


def main() -> None:
    """Run one command; exit with 1 and one clear message where it cannot be done."""
    arguments = _parser().parse_args(_after_dashes(sys.argv[1:]))
    # Said lines appear at once, in the order in which things happened.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    requirements.complete_path()
    try:
        _run(arguments)
    except TestbedError as error:
        sys.exit("\n".join(f"testbed: {line}" for line in str(error).splitlines()))
    except KeyboardInterrupt:
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="podmeter-testbed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("up", help="start the testbed, building what is missing")
    commands.add_parser("down", help="end the testbed and remove everything it made")
    commands.add_parser("status", help="what runs; exits with 1 unless all is well")
    command = commands.add_parser("deps", help="install the Debian packages that it needs")
    command.add_argument("--engine", action="store_true", help="those that `engine` needs")
    commands.add_parser("build", help="build what the cache lacks, start nothing")
    command = commands.add_parser("bench", help="measure it and write docs/explanation/testbed.md")
    command.add_argument("--cold", action="store_true", help="also from nothing (15 min)")
    command.add_argument(
        "--starts", type=int, default=bench.WARM_ROUNDS, help="warm starts in a row (%(default)s)"
    )
    command = commands.add_parser(
        "footprint", help="keep what a testbed could change, or compare with what was kept"
    )
    command.add_argument("action", choices=("keep", "compare"))
    command.add_argument("file", type=Path)
    command = commands.add_parser("exec", help="run a command inside a machine of the testbed")
    command.add_argument("machine", choices=(CONTROL_PLANE, *NODES, *FURTHER_NODES))
    command.add_argument("argv", nargs="*")
    command = commands.add_parser(
        "engine", help="run a command with a Docker engine: the one there is, or one for it alone"
    )
    command.add_argument("argv", nargs="*")
    command = commands.add_parser("load", help="bring images that `docker save` wrote to the nodes")
    command.add_argument("archive", type=Path)
    command = commands.add_parser(
        "ingress", help="an ingress controller on the testbed that is up, which starts without one"
    )
    command.add_argument("action", choices=("build", "up", "down"), nargs="?", default="up")
    command = commands.add_parser("helm", help="helm, on the testbed where one is up")
    command.add_argument("argv", nargs="*")
    command = commands.add_parser("kubectl", help="the testbed's kubectl, as administrator")
    command.add_argument("argv", nargs="*")
    return parser


def _after_dashes(words: list[str]) -> list[str]:
    """After `kubectl`, `exec MACHINE` and their like all is another program's, dashes included."""
    before = {"kubectl": 1, "helm": 1, "engine": 1, "exec": 2}.get(words[0] if words else "", 0)
    if before and len(words) > before and words[before] not in ("--", "-h", "--help"):
        return [*words[:before], "--", *words[before:]]
    return words


def _run(arguments: argparse.Namespace) -> None:
    layout = Layout.from_environment()
    match arguments.command:
        case "up":
            lifecycle.up(layout)
        case "down":
            lifecycle.down(layout)
        case "status":
            sys.exit(0 if status.report(layout) else 1)
        case "deps":
            installed = requirements.install(engine=arguments.engine, kernel=layout.asked.kernel)
            say(f"installed {', '.join(installed)}" if installed else "nothing is missing")
            if problem := requirements.go_problem():
                raise TestbedError(problem)
        case "build":
            lifecycle.build(layout)
        case "bench":
            sys.exit(0 if bench.run(layout, cold=arguments.cold, starts=arguments.starts) else 1)
        case "footprint":
            sys.exit(_footprint(layout, arguments.action, arguments.file))
        case "exec":
            argv = arguments.argv or ["sh"]
            _become(machines.require(layout, arguments.machine).inside(*argv))
        case "engine":
            sys.exit(engine.run_command(layout, arguments.argv or ["sh"]))
        case "load":
            loading.load(layout, arguments.archive)
        case "ingress":
            _ingress(layout, arguments.action)
        case "helm":
            helm = Helm(layout)
            os.environ.update(helm.environment)
            _become(helm.argv(*arguments.argv))
        case "kubectl":
            _become(Kubectl(layout).argv(*arguments.argv))


def _ingress(layout: Layout, action: str) -> None:
    if action == "build":
        ingress.build(layout.cache)
        return
    machines.require(layout, CONTROL_PLANE)
    if action == "down":
        ingress.remove(layout)
        return
    # Its Service has its address from there.
    lifecycle.up(layout, frozenset({AddOn.LOAD_BALANCERS}))
    ingress.start(layout)
    say(f"Ingresses are asked at {ingress.address(Kubectl(layout))}")


def _footprint(layout: Layout, action: str, file: Path) -> int:
    now = footprint.take(layout)
    if action == "keep":
        footprint.save(now, file)
        say(f"kept {sum(map(len, now.values()))} lines in {file}")
        return 0
    found = footprint.difference(footprint.load(file), now)
    for line in found:
        say(line)
    say(f"{len(found)} differences in {', '.join(now)}")
    return 1 if found else 0


def _become(argv: list[str]) -> None:
    os.execvp(argv[0], argv)  # noqa: S606


if __name__ == "__main__":
    main()
