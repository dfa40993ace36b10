package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

func watching(t *testing.T, name string) *watch {
	t.Helper()
	w, err := newWatch([]string{"0.020", "0.500", "1.000", "20.000", name})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestOnlyAnIPv4AddressAndPortIsAService(t *testing.T) {
	for _, name := range []string{"kubernetes:443", "10.96.0.1", "[::1]:443", "10.96.0.1:65536"} {
		if _, err := newWatch([]string{"1", "1", "1", "1", name}); err == nil ||
			!strings.HasPrefix(err.Error(), name+" is no address and port") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBeingHeldUpWhileItLooksIsNoFailure(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	w := watching(t, listener.Addr().String())
	looks := 0
	// The kernel has received nothing when it is asked, and the answer is read much later.
	w.poll = func(descriptors []pollDescriptor, timeout time.Duration) (int, error) {
		if len(descriptors) > 1 {
			looks++
		}
		descriptors[0].descriptor = -1 // the test's own standard input
		ready, err := poll(descriptors, timeout)
		if looks == 9 && len(descriptors) > 1 {
			for number := range descriptors {
				descriptors[number].returned = 0
			}
			time.Sleep(700 * time.Millisecond)
		}
		return ready, err
	}
	for next := w.begin; !w.forGood(); {
		if monotonic() > w.begin+20*time.Second {
			t.Fatalf("never for good: %+v", w.services[0].stretches)
		}
		// Nobody accepts: without pauses the listener's queue would be full before a second is over.
		if monotonic() >= next {
			if err := w.look(w.services[0]); err != nil {
				t.Fatal(err)
			}
			next = max(next+w.every, monotonic())
		}
		if _, err := w.await(next); err != nil {
			t.Fatal(err)
		}
		if err := w.services[0].settle(); err != nil {
			t.Fatal(err)
		}
	}
	if found := w.services[0].stretches; len(found) != 1 || !found[0].works {
		t.Errorf("%+v", found)
	}
}

func finished(begun time.Duration, how result) *look {
	return &look{begun: begun, socket: -1, result: how}
}

func TestLooksAreCountedInTheOrderInWhichTheyBegan(t *testing.T) {
	one := &service{looks: []*look{
		finished(1, accepted), finished(2, accepted), finished(3, unseen), finished(4, failed),
		{begun: 5, socket: 7, result: pending}, finished(6, accepted),
	}}
	if err := one.settle(); err != nil {
		t.Fatal(err)
	}
	want := []stretch{{true, 1, 2, 2}, {false, 4, 4, 1}}
	if len(one.looks) != 2 || fmt.Sprint(one.stretches) != fmt.Sprint(want) {
		t.Errorf("%+v, %d left", one.stretches, len(one.looks))
	}
}

func TestChangesWithoutEndAreAnError(t *testing.T) {
	one := &service{}
	for number := range mostStretches + 1 {
		how := accepted
		if number%2 == 1 {
			how = failed
		}
		one.looks = append(one.looks, finished(time.Duration(number), how))
	}
	if err := one.settle(); err == nil {
		t.Error("no error")
	}
}

func TestForGoodTakesEveryServiceAndCountsFromTheQuestion(t *testing.T) {
	long := []stretch{{works: true, first: 0, last: 2 * time.Second, count: 100}}
	w := &watch{good: time.Second, services: []*service{{stretches: long}, {stretches: long}}}
	if !w.forGood() {
		t.Error("both succeed")
	}
	w.asked = 3 * time.Second
	if w.forGood() {
		t.Error("nothing was looked at since it was asked")
	}
	w.asked = 0
	w.services[1].stretches = []stretch{{works: true, first: 0, last: time.Second / 2, count: 25}}
	if w.forGood() {
		t.Error("one has not succeeded for long enough")
	}
	w.services[1].stretches = nil
	if w.forGood() {
		t.Error("one was never looked at")
	}
}

func TestATimeHasSixDigits(t *testing.T) {
	if found := stamp(12*time.Second + 34567*time.Microsecond); found != "12.034567" {
		t.Error(found)
	}
}
