"""A command that looks at a node's files again and again until it is told to end."""

#: Looks at once, after each pause, and a last time when a line arrives on standard input; at end of
#: file (the connection is gone) it ends without. One process that starts no other, so that it costs
#: the node next to nothing. Not bash: its `read -t` takes a line that comes as the time is over and
#: says nothing of it, and a trial of 1 s ends at just that moment.
_LOOP = r"""
sub opened { my $name = shift; open(my $file, "<", $name) or die "$name: $!\n"; $file }
sub first { my $file = opened(shift); chomp(my $line = <$file>); $line }
sub uptime { (first("/proc/uptime") =~ /^(\S+)/)[0] }
$| = 1;
while (1) {
  look();
  vec(my $bits = "", 0, 1) = 1;
  next if select($bits, undef, undef, $pause) <= 0;
  if (sysread(STDIN, my $line, 4096)) { look(); print "end\n" }
  exit 0;
}
"""


def sampler(look: str, pause_seconds: float) -> tuple[str, ...]:
    """The command; `look` is Perl that prints a line, with `opened`, `first` and `uptime` at hand.

    What it prints ends with a line `end`, without which it was cut.
    """
    return ("perl", "-e", f"my $pause = {pause_seconds};\nsub look {{{look}}}{_LOOP}")
