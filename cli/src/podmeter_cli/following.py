"""Following a run to its end: a live display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

import click

from podmeter_cli.client import ApiError, Client
from podmeter_cli.exits import CommandError
from podmeter_cli.output import console, tell
from podmeter_cli.progress import Progress
from podmeter_cli.quantities import duration, figure

#: Between two looks at the results of a run in progress.
_LOOK_SECONDS = 5.0
_REFRESHES_PER_SECOND = 4
#: Without a terminal there is a line a minute at least: pings come every 15 s.
_QUIET_SECONDS = 45.0


class Interruption(StrEnum):
    """What Ctrl-C, or a closed terminal, does to the run."""

    ASK = "ask"
    CANCEL = "cancel"
    CONTINUE = "continue"


class _Stopped(KeyboardInterrupt):
    """The terminal was closed, or the job was stopped."""


class InterruptedWatchError(Exception):
    """The user ended the command; the run continues, or was cancelled."""


def follow(client: Client, run: dict[str, Any], interruption: Interruption) -> dict[str, Any]:
    """The finished run. Raises InterruptedWatchError where the user ends the command before.

    A lost connection is taken up again; the run does not depend on it.
    """
    progress = Progress.of(
        run, _plan(client, run["id"]), list(client.pages(f"/runs/{run['id']}/cases"))
    )
    client.on_away = lambda wrong: tell(f"{client.url} does not answer ({wrong}); waiting for it")
    try:
        with _ended_by_signals():
            _watch(client, run["id"], progress)
    except _Stopped:
        # Nobody is there to be asked.
        asks = interruption is Interruption.ASK
        _interrupted(client, run, progress, Interruption.CONTINUE if asks else interruption)
    except KeyboardInterrupt:
        _interrupted(client, run, progress, interruption)
    if progress.conclusion:
        tell(f"Measuring ended: {progress.conclusion}")
    finished: dict[str, Any] = client.get(f"/runs/{run['id']}")
    return finished


def _watch(client: Client, run_id: str, progress: Progress) -> None:
    terminal = console(error=True)
    events = progress.timed(client.events(run_id), lambda: _time_left(client, run_id, progress))
    if terminal.is_terminal:
        _draw(client, run_id, events, progress, terminal)
    else:
        _print_lines(events, progress, tell)


def _print_lines(
    events: Iterator[tuple[str, dict[str, Any]]], progress: Progress, show: Callable[[str], None]
) -> None:
    """A line for each state, warning and tenth of the trials, and at least one a minute."""
    tenths, at = 0, progress.clock()

    def say(line: str) -> None:
        nonlocal at
        at = progress.clock()
        show(line)

    for kind, content in events:
        before = progress.state
        progress.take(kind, content)
        if kind == "state" and (progress.state != before or progress.done == 0):
            say(f"{progress.name}: {progress.state}" + _left(progress))
        elif kind == "log" and content["level"] != "info":
            say(f"{content['level']}: {content['message']['text']}")
        elif kind == "cancel_requested":
            say(progress.last_line)
        elif kind == "trial" and (reached := int(10 * (progress.share or 0))) > tenths:
            tenths = reached
            say(_trials(progress) + _left(progress))
        elif progress.clock() - at >= _QUIET_SECONDS and progress.state != "finished":
            say(_moment(progress))


def _moment(progress: Progress) -> str:
    """Where a run is while no trial ends: on a climb, or in a switch."""
    trials = _trials(progress) + _left(progress)
    return ": ".join(filter(None, [progress.state, progress.where, trials]))


def _draw(
    client: Client,
    run_id: str,
    events: Iterator[tuple[str, dict[str, Any]]],
    progress: Progress,
    terminal: Any,
) -> None:
    from rich.live import Live

    values: dict[int, str] = {}
    looked_at, looked = 0, time.monotonic()
    with Live(
        get_renderable=lambda: picture(progress, values, terminal.height),
        console=terminal,
        refresh_per_second=_REFRESHES_PER_SECOND,
        transient=True,
    ):
        for kind, content in events:
            progress.take(kind, content)
            due = time.monotonic() - looked > _LOOK_SECONDS
            if kind == "trial" and due and progress.done > looked_at:
                values |= _values(client, run_id)
                looked_at, looked = progress.done, time.monotonic()


def picture(progress: Progress, values: dict[int, str], height: int) -> Any:
    """What the terminal shows: state, bar, the matrix with intervals as they narrow."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Text.assemble((progress.name, "bold"), "  ", (progress.state, "cyan"), _left(progress))
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        ProgressBar(total=progress.trials, completed=progress.done, width=40),
        _trials(progress),
    )
    matrix = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "CASE", "TRIALS", "SO FAR [INTERVAL]"):
        matrix.add_column(heading, justify="right" if heading == "TRIALS" else "left", no_wrap=True)
    shown = list(progress.cases.items())
    room = max(3, height - 6)
    if len(shown) > room:
        # What is measured now comes first, then what has failed.
        order = {"running": 0, "failed": 1, "succeeded": 2}
        shown = sorted(shown, key=lambda one: order.get(one[1].status, 3))[:room]
    for number, case in shown:
        mark, style = _MARKS.get(case.status, ("·", "dim"))
        matrix.add_row(
            Text(mark, style=style), case.name, str(case.trials or ""), values.get(number, "")
        )
    more = len(progress.cases) - len(shown)
    rest = [Text(f"and {more} more cases: {progress.counts}", style="dim")] if more else []
    last = Text(progress.last_line, style="dim", no_wrap=True, overflow="ellipsis")
    return Group(head, bar, matrix, *rest, last)


_MARKS = {
    "pending": ("·", "dim"),
    "running": ("▸", "cyan"),
    "succeeded": ("✓", "green"),
    "failed": ("✗", "red"),
    "skipped": ("–", "dim"),
}


def _values(client: Client, run_id: str) -> dict[int, str]:
    """By case, its main metric as it is so far."""
    with contextlib.suppress(ApiError):
        report = client.get(f"/runs/{run_id}/summaries")
        return {
            one["parameters"]["case_id"]: figure(one, one["key"]["unit"])
            for one in reversed(report["summaries"])
            if one["parameters"].get("main")
        }
    return {}


def _plan(client: Client, run_id: str) -> dict[str, Any] | None:
    """What the run was planned to do; of a run of another version there is none."""
    try:
        found: dict[str, Any] = client.get(f"/runs/{run_id}/plan")
    except ApiError as error:
        if error.status == 409:
            return None
        raise
    return found


def _time_left(client: Client, run_id: str, progress: Progress) -> dict[str, Any] | None:
    """How long the run still measures; as before where the server cannot say it now."""
    try:
        found: dict[str, Any] | None = client.get(f"/runs/{run_id}").get("time_left")
    except ApiError:
        return progress.time_left
    return found


def _left(progress: Progress) -> str:
    left = progress.seconds_left
    if left is None:
        return ""
    return f", {'at most' if progress.at_most else 'about'} {duration(left)} left"


def _trials(progress: Progress) -> str:
    """How many are stored, and of how many."""
    if progress.trials is None:
        return f"{progress.done} trial" + ("" if progress.done == 1 else "s")
    most = f"at most {progress.trials}" if progress.at_most else str(progress.trials)
    return f"{progress.done} of {most} trials"


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A closed terminal and a stopped CI job end the command as Ctrl-C does."""

    def end(*_: object) -> None:
        raise _Stopped

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupted(
    client: Client, run: dict[str, Any], progress: Progress, interruption: Interruption
) -> None:
    if progress.state == "finished":
        return
    cancel = interruption is Interruption.CANCEL
    if interruption is Interruption.ASK:
        with contextlib.suppress(click.Abort):
            cancel = click.confirm("Cancel the run? It continues otherwise", err=True)
    if not cancel:
        tell(f"The run continues. Follow it with: podmeter runs watch {run['id']}")
        raise InterruptedWatchError
    try:
        client.post(f"/runs/{run['id']}/cancel")
    except CommandError as error:
        raise CommandError(f"The run could not be cancelled: {error}") from None
    tell("Cancelled: the run cleans up and restores what it switched.")
    raise InterruptedWatchError
