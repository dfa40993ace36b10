package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"time"
)

// mostStretches of one Service are kept: what changes more often than that is no switch.
const mostStretches = 500

// service is a Service that is watched. looks are those that are not counted yet, in the order in
// which they began.
type service struct {
	name      string
	address   syscall.SockaddrInet4
	looks     []*look
	stretches []stretch
}

// look is one connection.
type look struct {
	begun  time.Duration
	socket int // -1 once the look has ended
	result result
}

type result int

const (
	pending result = iota
	accepted
	failed
	unseen // it ended while this process was held up, so nobody knows when
)

// stretch is looks in a row that ended alike: when the first and the last of them began.
type stretch struct {
	works       bool
	first, last time.Duration
	count       int
}

// watch connects to Services again and again.
type watch struct {
	every, within, good, patience time.Duration
	services                      []*service
	poll                          func([]pollDescriptor, time.Duration) (int, error)
	tell                          *os.File // nil without descriptor 3, and after reporting

	lowPort, ports, nextPort      int
	begin, last, gap, told, asked time.Duration
}

// watchServices connects to Services again and again and records when a new connection was accepted
// and when not. Its arguments are seconds: from one look to the next, that a connection may take, of
// success that count as for good, and to wait for these once it is to end; then address:port of each
// Service. A line on standard input ends it, once all are answered for good or the wait is over; the
// end of standard input ends it at once. It writes a line to descriptor 3, where there is one, once
// all are answered for good. It prints only once it is over, so that nothing is sent while it looks:
//
//	begin <time>
//	told <time of that line; 0 without>
//	asked <time>
//	ended <time>
//	gap <the longest time from one look to the next>
//	service <address:port>
//	<ok|fail> <time of the first look> <time of the last look> <looks>   for each stretch
//	end
//
// podmeter.drivers.service_watch reads it.
func watchServices(arguments []string) error {
	w, err := newWatch(arguments)
	if err != nil {
		return err
	}
	w.tell = readinessPipe()
	if err := w.run(); err != nil {
		return err
	}
	_, err = os.Stdout.Write(w.printed())
	return err
}

func newWatch(arguments []string) (*watch, error) {
	if len(arguments) < 5 {
		return nil, errors.New("watch-services needs four times and Services")
	}
	w := &watch{poll: poll}
	for number, into := range []*time.Duration{&w.every, &w.within, &w.good, &w.patience} {
		seconds, err := strconv.ParseFloat(arguments[number], 64)
		if err != nil {
			return nil, err
		}
		*into = time.Duration(seconds * float64(time.Second))
	}
	for _, name := range arguments[4:] {
		where, err := netip.ParseAddrPort(name)
		if err != nil || !where.Addr().Is4() {
			return nil, fmt.Errorf("%s is no address and port", name)
		}
		to := syscall.SockaddrInet4{Port: int(where.Port()), Addr: where.Addr().As4()}
		w.services = append(w.services, &service{name: name, address: to})
	}
	return w, w.usePorts()
}

// usePorts chooses the ports that connections are made from. A connection that failed leaves an
// entry in the kernel for two minutes, by which the next one from its port goes the same wrong way:
// ports follow one another, also from one watch to the next.
func (w *watch) usePorts() error {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return err
	}
	var high int
	if _, err := fmt.Sscan(string(text), &w.lowPort, &high); err != nil {
		return fmt.Errorf("port range: %w", err)
	}
	w.ports = high - w.lowPort + 1
	w.begin = monotonic()
	w.nextPort = int(w.begin/w.every) * len(w.services)
	return nil
}

// readinessPipe is descriptor 3 where the program was started with a pipe there. Without one Go's
// runtime may have opened something else under that number.
func readinessPipe() *os.File {
	var state syscall.Stat_t
	if err := syscall.Fstat(descriptorReady, &state); err != nil {
		return nil
	}
	if state.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil
	}
	return os.NewFile(descriptorReady, "readiness")
}

func (w *watch) run() error {
	next, until := w.begin, time.Duration(0)
	for w.asked == 0 || (!w.forGood() && monotonic() < until) {
		now := monotonic()
		if now >= next {
			if w.last != 0 {
				w.gap = max(w.gap, now-w.last)
			}
			w.last = now
			for _, one := range w.services {
				if err := w.look(one); err != nil {
					return err
				}
			}
			next += w.every
			if next < now { // what was missed is not made up for
				next = now + w.every
			}
		}
		isAsked, err := w.await(next)
		if err != nil {
			return err
		}
		for _, one := range w.services {
			if err := one.settle(); err != nil {
				return err
			}
		}
		if w.tell != nil && w.forGood() {
			w.told = monotonic()
			w.tell.WriteString("\n") // nobody may read it
			w.tell.Close()
			w.tell = nil
		}
		if isAsked {
			if read, err := syscall.Read(0, make([]byte, 16)); err != nil || read == 0 {
				return exitCode(1)
			}
			w.asked = monotonic()
			until = w.asked + w.patience
		}
	}
	return nil
}

// look begins a connection. It is closed by a reset, so that no port and no entry of the kernel
// waits for it.
func (w *watch) look(at *service) error {
	socket, err := syscall.Socket(
		syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	reset := syscall.Linger{Onoff: 1, Linger: 0}
	err = syscall.SetsockoptLinger(socket, syscall.SOL_SOCKET, syscall.SO_LINGER, &reset)
	if err != nil {
		return fmt.Errorf("setsockopt: %w", err)
	}
	if err := w.bind(socket); err != nil {
		return err
	}
	begun := &look{begun: monotonic(), socket: socket}
	switch err := syscall.Connect(socket, &at.address); err {
	case nil:
		begun.end(accepted)
	case syscall.EINPROGRESS:
	default:
		begun.end(failed)
	}
	at.looks = append(at.looks, begun)
	return nil
}

func (w *watch) bind(socket int) error {
	var err error
	for range 100 {
		port := w.lowPort + w.nextPort%w.ports
		w.nextPort++
		if err = syscall.Bind(socket, &syscall.SockaddrInet4{Port: port}); err == nil {
			return nil
		}
	}
	return fmt.Errorf("bind: %w", err)
}

func (l *look) end(how result) {
	syscall.Close(l.socket)
	l.socket, l.result = -1, how
}

// await waits until a connection or a line on standard input is there, or the next look is due. It
// ends the looks whose result is known, and returns whether standard input can be read.
//
// A connection that is refused, goes nowhere or takes too long has failed.
func (w *watch) await(next time.Duration) (bool, error) {
	descriptors := []pollDescriptor{{descriptor: 0, events: pollIn}}
	if w.asked != 0 {
		descriptors[0].descriptor = -1 // ppoll leaves it out
	}
	var open []*look
	wake := next
	for _, one := range w.services {
		for _, begun := range one.looks {
			if begun.socket >= 0 {
				open = append(open, begun)
				descriptors = append(descriptors,
					pollDescriptor{descriptor: int32(begun.socket), events: pollOut})
				wake = min(wake, begun.begun+w.within)
			}
		}
	}
	before := monotonic()
	if _, err := w.poll(descriptors, wake-before); err != nil {
		return false, fmt.Errorf("poll: %w", err)
	}
	now := monotonic()
	for number, begun := range open {
		switch {
		case descriptors[number+1].returned != 0:
			code, err := syscall.GetsockoptInt(begun.socket, syscall.SOL_SOCKET, syscall.SO_ERROR)
			switch {
			case err != nil || code != 0:
				begun.end(failed)
			case now < begun.begun+2*w.within:
				begun.end(accepted)
			default:
				// This process was held up so long that the packet may have been sent again.
				begun.end(unseen)
			}
		case before >= begun.begun+w.within:
			// Only what was too late when the kernel was asked: this process may be held up after.
			begun.end(failed)
		}
	}
	return descriptors[0].returned != 0, nil
}

// settle counts looks in the order in which they began, up to the first that has no result yet.
func (s *service) settle() error {
	for len(s.looks) > 0 && s.looks[0].result != pending {
		done := s.looks[0]
		s.looks = s.looks[1:]
		if done.result == unseen {
			continue
		}
		works := done.result == accepted
		if count := len(s.stretches); count == 0 || s.stretches[count-1].works != works {
			if count >= mostStretches {
				return fmt.Errorf("answered and not, by turns, more than %d times", mostStretches)
			}
			s.stretches = append(s.stretches, stretch{works: works, first: done.begun})
		}
		latest := &s.stretches[len(s.stretches)-1]
		latest.last = done.begun
		latest.count++
	}
	return nil
}

// forGood is whether every Service has been answered for so long, and since it was asked to end.
func (w *watch) forGood() bool {
	for _, one := range w.services {
		if len(one.stretches) == 0 {
			return false
		}
		now := one.stretches[len(one.stretches)-1]
		if !now.works || now.last < w.asked || now.last-now.first < w.good {
			return false
		}
	}
	return true
}

func (w *watch) printed() []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "begin %s\ntold %s\nasked %s\n",
		stamp(w.begin), stamp(w.told), stamp(w.asked))
	fmt.Fprintf(&text, "ended %s\ngap %s\n", stamp(monotonic()), stamp(w.gap))
	for _, one := range w.services {
		fmt.Fprintf(&text, "service %s\n", one.name)
		for _, part := range one.stretches {
			word := "fail"
			if part.works {
				word = "ok"
			}
			fmt.Fprintf(&text, "%s %s %s %d\n",
				word, stamp(part.first), stamp(part.last), part.count)
		}
	}
	text.WriteString("end\n")
	return text.Bytes()
}

// stamp is a time in seconds with six digits after the point. All are cut, so that what is in order
// stays in order.
func stamp(at time.Duration) string {
	return fmt.Sprintf("%d.%06d", at/time.Second, at%time.Second/time.Microsecond)
}
