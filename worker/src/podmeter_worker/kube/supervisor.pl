# Runs one command inside a pod for Podmeter and gives back all it printed, framed.
#
# @A holds the seconds it may take and the command. On standard input a line "n" hands the command
# one newline, "k" or the end of the input (whoever asked is gone) kills it. Its output goes to
# files in memory first, so that nothing is sent while it measures and its length and digest are
# known before the first byte. What it writes to descriptor 3 is no output: with the first byte
# there it is ready. The frame:
#   PODMETER1 started
#   PODMETER1 ready            if the command says so
#   PODMETER1 <exited|timeout|killed> <exit code> <seconds> <bytes out> <bytes err> <sha256s>
#   <out><err>
#   PODMETER1 end
use strict; use POSIX ();
our @A;
my ($limit, @argv) = @A;
$SIG{PIPE} = 'IGNORE';
# clock_gettime by its system call number: Time::HiRes is not in perl-base. 1 is CLOCK_MONOTONIC.
my %numbers = (x86_64 => 228, aarch64 => 113, riscv64 => 113, ppc64le => 246, s390x => 260);
my $number = $numbers{(POSIX::uname())[4]} or die "no clock_gettime for this architecture\n";
sub now { my $b = "\0" x 16; syscall($number, 1, $b) == 0 or die "clock_gettime: $!\n";
          my ($s, $n) = unpack("qq", $b); return $s + $n / 1e9; }
sub say_all { my $left = shift; while (length $left) {
    my $sent = syswrite(STDOUT, $left); defined $sent or exit 98; substr($left, 0, $sent) = ""; } }
my $dir = sprintf("/tmp/.podmeter-%d-%d", $$, now() * 1e6);
mkdir($dir, 0700) or die "$dir: $!\n";
open(my $out, ">", "$dir/out") or die "$dir/out: $!\n";
open(my $err, ">", "$dir/err") or die "$dir/err: $!\n";
pipe(my $stdin, my $feed) or die "pipe: $!\n";
pipe(my $report, my $told) or die "pipe: $!\n";
pipe(my $word, my $tell) or die "pipe: $!\n";
# A process between waits for the command, so that its end is noticed at once and without a race.
defined(my $waiter = fork()) or die "fork: $!\n";
if (!$waiter) {
    close($report); close($feed); close($word); close(STDIN); open(STDIN, "<", "/dev/null");
    POSIX::dup2(2, 1);
    my $begun = now();
    my $pid = fork();
    if (!defined $pid) { syswrite($told, "0 0 0 fork: $!\n"); POSIX::_exit(1) }
    if (!$pid) {
        POSIX::setsid();
        close($told);
        $SIG{PIPE} = 'DEFAULT';
        POSIX::dup2(fileno($stdin), 0);
        POSIX::dup2(fileno($out), 1); POSIX::dup2(fileno($err), 2);
        POSIX::dup2(fileno($tell), 3);
        exec { $argv[0] } @argv;
        my $why = "$argv[0]: $!\n"; POSIX::write(2, $why, length $why); POSIX::_exit(127);
    }
    close($stdin); close($tell);
    syswrite($told, "$pid\n");
    waitpid($pid, 0);
    my $status = $?;
    syswrite($told, sprintf("%d %.9f\n", $status & 127 ? 128 + ($status & 127) : $status >> 8,
                            now() - $begun));
    POSIX::_exit(0);
}
close($stdin); close($told); close($tell); close($out); close($err);
my ($heard, $asked, $pid, $why, $gone, $ready) = ("", "", 0, "exited", 0, 0);
my $deadline = now() + $limit;
my $killing = 0;
# A command that was begun just now may not lead its process group yet.
sub end_it { $why = shift if !$killing; my $with = $killing++ ? 'KILL' : 'TERM';
             kill($with, -$pid) || kill($with, $pid) if $pid; $deadline = now() + 2; }
until ($heard =~ /\n.*\n/) {
    my $bits = ""; vec($bits, fileno($report), 1) = 1; vec($bits, 0, 1) = 1 unless $gone;
    vec($bits, fileno($word), 1) = 1 if $pid && !$ready;
    my $left = $deadline - now(); $left = 0 if $left < 0;
    my $found = select($bits, undef, undef, $left);
    if ($found == 0) { end_it("timeout"); next }
    next if $found < 0;
    if (vec($bits, fileno($report), 1)) {
        sysread($report, $heard, 4096, length $heard) or die "the command was lost: $heard\n";
        if (!$pid && $heard =~ /^(\d+)\n/) { $pid = $1; say_all("PODMETER1 started\n") }
    }
    if (vec($bits, fileno($word), 1)) {
        say_all("PODMETER1 ready\n") if sysread($word, my $byte, 1);
        $ready = 1;
    }
    if (vec($bits, 0, 1)) {
        if (!sysread(STDIN, $asked, 4096, length $asked)) { $gone = 1; end_it("killed"); next }
        while ($asked =~ s/^(.)\n//) {
            if ($1 eq "n") { syswrite($feed, "\n") } else { end_it("killed") }
        }
    }
}
waitpid($waiter, 0);
kill('KILL', -$pid);
my ($code, $seconds) = $heard =~ /\n(\d+) (\S+)\n/ or die "the command was lost: $heard\n";
if (!$gone) {
    my @sizes = map { -s "$dir/$_" || 0 } qw(out err);
    open(my $sums, "-|", "sha256sum", "$dir/out", "$dir/err") or die "sha256sum: $!\n";
    my @digests = map { /^(\w{64}) / ? $1 : die "no digest\n" } <$sums>;
    say_all("PODMETER1 $why $code $seconds @sizes @digests\n");
    for my $name (qw(out err)) {
        open(my $file, "<", "$dir/$name") or die "$name: $!\n";
        while (sysread($file, my $part, 65536)) { say_all($part) }
    }
    say_all("PODMETER1 end\n");
}
unlink("$dir/out", "$dir/err"); rmdir($dir);
