"""Runs commands in turn, several times, each timed by the monotonic clock where it runs.

For what is too short to be timed from outside: one curl process, one rule added. A small Perl
script does it (perl-base is part of every Debian image; bash has only the wall clock). It may
take a lock first, and tells the wait for it apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import WHOLE, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import CommandOutput

_TOOL = "timed"
_NEXT = "::next::"

#: Arguments: lock file or -, repetitions, then commands separated by ::next::. For each command
#: that ran it prints "run <exit> <seconds> <seconds waited for the lock> <length>", a newline,
#: the command's output and a newline; "end" when all is done. clock_gettime goes by its system
#: call number, because perl-base has no Time::HiRes; 1 is CLOCK_MONOTONIC.
_SCRIPT = r"""
use strict; use Fcntl qw(:flock); use POSIX ();
my %numbers = (x86_64 => 228, aarch64 => 113);
my $number = $numbers{(POSIX::uname())[4]} or die "no clock_gettime for this architecture\n";
sub now { my $b = "\0" x 16; syscall($number, 1, $b) == 0 or die "clock_gettime: $!\n";
          my ($s, $n) = unpack("qq", $b); return $s + $n / 1e9; }
my ($lock, $times, @rest) = @ARGV; my @commands = ([]);
for (@rest) { if ($_ eq "::next::") { push @commands, [] } else { push @{$commands[-1]}, $_ } }
$| = 1;
for (1 .. $times) { for my $command (@commands) {
    my $asked = now(); my $handle;
    if ($lock ne "-") { open($handle, ">>", $lock) or die "$lock: $!\n";
                        flock($handle, LOCK_EX) or die "flock: $!\n"; }
    my $begun = now();
    open(my $pipe, "-|", @$command) or die "$command->[0]: $!\n";
    my $said = do { local $/; <$pipe> } // "";
    close($pipe); my $exit = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my $ended = now();
    close($handle) if $handle;
    printf "run %d %.9f %.9f %d\n%s\n", $exit, $ended - $begun, $begun - $asked,
           length($said), $said;
} }
print "end\n";
"""
_HEAD = rf"run ({WHOLE}) ({WHOLE}\.[0-9]{{9}}) ({WHOLE}\.[0-9]{{9}}) ({WHOLE})"


@dataclass(frozen=True, slots=True)
class Timing:
    """One execution: how it ended, its own seconds, seconds waited for the lock, what it said."""

    exit_code: int
    seconds: float
    lock_seconds: float
    stdout: str


def argv(commands: Sequence[Sequence[str]], times: int, lock: str | None = None) -> tuple[str, ...]:
    """Run the commands in turn, `times` times over, each while holding `lock` if there is one."""
    joined: list[str] = []
    for command in commands:
        joined += [_NEXT, *command] if joined else command
    return ("perl", "-e", _SCRIPT, lock or "-", str(times), *joined)


def parse(output: CommandOutput, expected: int) -> tuple[Timing, ...]:
    """All `expected` executions, in order; their exit codes are the caller's to judge.

    Raises ToolError when the script failed or what it printed is not whole.
    """
    timings = tuple(
        Timing(int(head[1]), float(head[2]), float(head[3]), said)
        for head, said in framed(output, _TOOL, _HEAD, expected)
    )
    if any(timing.seconds <= 0 for timing in timings):
        raise ToolError(say("tool_odd_number", tool=_TOOL, path="run", value="0"))
    return timings
