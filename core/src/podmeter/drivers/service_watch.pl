# Connects to Services again and again, and tells when a new connection was accepted and when not.
#
# Arguments: seconds from one look to the next, seconds that a connection may take, seconds of
# success that count as for good, seconds to wait for these once it is to end; then address:port of
# each Service. A line on standard input ends it, once all are answered for good or the wait is
# over; the end of standard input ends it at once. To descriptor 3, where there is one, goes a line
# once all are answered for good. Times are those of the monotonic clock. Prints:
#   begin <time>
#   told <time of that line; 0 without>
#   asked <time>
#   ended <time>
#   gap <the longest time from one look to the next>
#   service <address:port>
#   <ok|fail> <time of the first look> <time of the last look> <looks>   for each stretch of these
#   end
use strict; use Socket; use Fcntl; use Errno qw(EINPROGRESS EINTR); use POSIX ();
my ($every, $within, $good, $patience, @names) = @ARGV;
# By the number of the system call: Time::HiRes is not in perl-base. 1 is CLOCK_MONOTONIC.
my %numbers = (x86_64 => 228, aarch64 => 113, riscv64 => 113, ppc64le => 246, s390x => 260);
my $number = $numbers{(POSIX::uname())[4]} or die "no clock_gettime for this architecture\n";
sub now { my $b = "\0" x 16; syscall($number, 1, $b) == 0 or die "clock_gettime: $!\n";
          my ($s, $n) = unpack("qq", $b); return $s + $n / 1e9; }
# What changes more often than this is no switch.
my $most = 500;
my @services = map { /^([0-9.]+):([0-9]+)$/ or die "$_ is no address and port\n";
    my ($address, $port) = ($1, $2);
    { name => $_, at => pack_sockaddr_in($port, inet_aton($address)), looks => [],
      stretches => [] } } @names;
# Before any socket, which would take its number.
my $tell; open($tell, ">&=", 3) or undef $tell;
my ($begin, $last, $gap, $told, $asked, $until) = (now(), undef, 0, 0, 0, 0);

# A connection that failed leaves an entry in the kernel for two minutes, by which the next one from
# the same port goes the same wrong way: ports follow one another, from one watch to the next as well.
open(my $file, "<", "/proc/sys/net/ipv4/ip_local_port_range") or die "port range: $!\n";
my ($low, $high) = split(" ", <$file>); close($file);
my $port = int($begin / $every) * @services;
sub from_next_port {
    my $socket = shift;
    for (1 .. 100) {
        my $at = pack_sockaddr_in($low + $port++ % ($high - $low + 1), INADDR_ANY);
        return if bind($socket, $at);
    }
    die "bind: $!\n";
}

# A connection that is refused, goes nowhere or takes too long is one that failed. It is ended by a
# reset, so that no port and no entry of the kernel waits for it.
sub look {
    my $service = shift;
    socket(my $socket, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
    fcntl($socket, F_SETFL, O_NONBLOCK) or die "fcntl: $!\n";
    setsockopt($socket, SOL_SOCKET, SO_LINGER, pack("ii", 1, 0)) or die "setsockopt: $!\n";
    from_next_port($socket);
    my $look = { begun => now(), socket => $socket };
    if (connect($socket, $service->{at})) { ended($look, 1) }
    elsif ($! != EINPROGRESS) { ended($look, 0) }
    push @{$service->{looks}}, $look;
}
sub ended { my ($look, $ok) = @_; $look->{ok} = $ok; close(delete $look->{socket}); }

# Looks are counted in the order in which they began; those that nobody saw end in time, not at all.
sub settle {
    my ($looks, $stretches) = @{$_[0]}{qw(looks stretches)};
    while (@$looks && defined $looks->[0]{ok}) {
        my ($begun, $ok) = @{shift @$looks}{qw(begun ok)};
        next if $ok < 0;
        if (!@$stretches || $stretches->[-1]{ok} != $ok) {
            die "answered and not, by turns, more than $most times\n" if @$stretches >= $most;
            push @$stretches, { ok => $ok, first => $begun, count => 0 };
        }
        $stretches->[-1]{last} = $begun; $stretches->[-1]{count}++;
    }
}
sub for_good {
    for my $service (@services) {
        my $now = $service->{stretches}[-1] or return 0;
        return 0 unless $now->{ok} && $now->{last} >= $asked && $now->{last} - $now->{first} >= $good;
    }
    return 1;
}

my $next = $begin;
until ($asked && (for_good() || now() >= $until)) {
    my $time = now();
    if ($time >= $next) {
        $gap = $time - $last if defined $last && $time - $last > $gap;
        $last = $time;
        look($_) for @services;
        # What was missed is not made up for.
        $next += $every; $next = $time + $every if $next < $time;
    }
    my ($reads, $writes, $wake) = ("", "", $next);
    vec($reads, 0, 1) = 1 unless $asked;
    for my $look (map { @{$_->{looks}} } @services) {
        next unless $look->{socket};
        vec($writes, fileno($look->{socket}), 1) = 1;
        $wake = $look->{begun} + $within if $look->{begun} + $within < $wake;
    }
    my $before = now();
    my $left = $wake - $before; $left = 0 if $left < 0;
    my $ready = select($reads, $writes, undef, $left);
    if ($ready < 0) { die "select: $!\n" unless $! == EINTR; next }
    $time = now();
    for my $look (map { @{$_->{looks}} } @services) {
        next unless $look->{socket};
        if (vec($writes, fileno($look->{socket}), 1)) {
            my $error = unpack("i", getsockopt($look->{socket}, SOL_SOCKET, SO_ERROR));
            # Where this process was held up so long, it may have been sent a second time.
            ended($look, $error != 0 ? 0 : $time < $look->{begun} + 2 * $within ? 1 : -1);
        # Only what was too late when the kernel was asked: this process may be held up after.
        } elsif ($before >= $look->{begun} + $within) { ended($look, 0) }
    }
    settle($_) for @services;
    if ($tell && for_good()) { $told = now(); syswrite($tell, "\n"); close($tell); undef $tell }
    if (!$asked && vec($reads, 0, 1)) {
        sysread(STDIN, my $line, 16) or exit 1;
        $asked = now(); $until = $asked + $patience;
    }
}
printf "begin %.6f\ntold %.6f\nasked %.6f\n", $begin, $told, $asked;
printf "ended %.6f\ngap %.6f\n", now(), $gap;
for my $service (@services) {
    print "service $service->{name}\n";
    printf "%s %.6f %.6f %d\n", $_->{ok} ? "ok" : "fail", @$_{qw(first last count)}
        for @{$service->{stretches}};
}
print "end\n";
