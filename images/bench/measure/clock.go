package main

import (
	"syscall"
	"time"
	"unsafe"
)

const clockMonotonic = 1

// monotonic is CLOCK_MONOTONIC, the time since the node booted. time.Now has it too, but gives only
// differences; the worker compares times of different processes on one node.
func monotonic() time.Duration {
	var now syscall.Timespec
	_, _, errno := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	if errno != 0 {
		panic("clock_gettime: " + errno.Error())
	}
	return time.Duration(now.Nano())
}

type pollDescriptor struct {
	descriptor int32
	events     int16
	returned   int16
}

const (
	pollIn  = 0x1
	pollOut = 0x4
)

// poll is ppoll(2): it waits until one of the descriptors is ready, for the timeout at most, and
// returns how many are.
func poll(descriptors []pollDescriptor, timeout time.Duration) (int, error) {
	wait := syscall.NsecToTimespec(int64(max(timeout, 0)))
	for {
		ready, _, errno := syscall.Syscall6(syscall.SYS_PPOLL,
			uintptr(unsafe.Pointer(unsafe.SliceData(descriptors))), uintptr(len(descriptors)),
			uintptr(unsafe.Pointer(&wait)), 0, 0, 0)
		switch errno {
		case 0:
			return int(ready), nil
		case syscall.EINTR: // Linux has written into wait what is left of it
		default:
			return 0, errno
		}
	}
}
