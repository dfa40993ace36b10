package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// looks are what sample can look at; each gives one line.
var looks = map[string]func() (string, error){
	"cpu":       lookAtCPU,
	"datagrams": lookAtDatagrams,
}

// sample looks at once, again after each pause, and a last time when a line arrives on standard
// input; it prints "end" after that. It ends without when standard input ends: nobody listens then.
// Its arguments are the pause in seconds and the name of the look.
func sample(arguments []string) error {
	if len(arguments) != 2 || looks[arguments[1]] == nil {
		return errors.New("sample needs a pause and the name of a look")
	}
	seconds, err := strconv.ParseFloat(arguments[0], 64)
	if err != nil {
		return err
	}
	pause, look := time.Duration(seconds*float64(time.Second)), looks[arguments[1]]
	for {
		if err := printLook(look, ""); err != nil {
			return err
		}
		input := []pollDescriptor{{descriptor: 0, events: pollIn}}
		ready, err := poll(input, pause)
		if err != nil {
			return err
		}
		if ready == 0 {
			continue
		}
		if read, err := syscall.Read(0, make([]byte, 4096)); err != nil || read == 0 {
			return err
		}
		return printLook(look, "end\n")
	}
}

func printLook(look func() (string, error), after string) error {
	line, err := look()
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(line + "\n" + after)
	return err
}

var (
	totalMemory     = regexp.MustCompile(`(?m)^MemTotal:\s+(\d+)`)
	availableMemory = regexp.MustCompile(`(?m)^MemAvailable:\s+(\d+)`)
	sentDatagrams   = regexp.MustCompile(`(?m)^Udp: \d+ \d+ \d+ (\d+)`)
)

// lookAtCPU gives uptime, total and available memory in KiB, and the ticks of all CPUs; after them,
// where this pod has a cgroup of its own, "cgroup" with the seconds of CPU time that it has used and
// for which a quota has stopped it.
func lookAtCPU() (string, error) {
	memory, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return "", err
	}
	total, available := totalMemory.FindSubmatch(memory), availableMemory.FindSubmatch(memory)
	if total == nil || available == nil {
		return "", errors.New("/proc/meminfo does not tell the memory")
	}
	up, err := uptime()
	if err != nil {
		return "", err
	}
	ticks, err := os.ReadFile("/proc/stat")
	if err != nil {
		return "", err
	}
	first, _, _ := bytes.Cut(ticks, []byte("\n"))
	line := fmt.Sprintf("%s %s %s %s", up, total[1], available[1], first)
	if own := readCgroupCPU(); own.usageKnown {
		line += " cgroup " + secondsOrNone(own.usage, true) +
			" " + secondsOrNone(own.throttled, own.throttledKnown)
	}
	return line, nil
}

// lookAtDatagrams gives uptime and how many UDP datagrams were sent so far.
func lookAtDatagrams() (string, error) {
	counters, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		return "", err
	}
	sent := sentDatagrams.FindSubmatch(counters)
	if sent == nil {
		return "", errors.New("/proc/net/snmp does not tell the datagrams")
	}
	up, err := uptime()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s", up, sent[1]), nil
}

func uptime() (string, error) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first, nil
}

// printFiles prints "== <name>" and the contents of each file that is there, then "== end". A kernel
// may be built without a file; an empty file was not read.
func printFiles(arguments []string) error {
	var printed bytes.Buffer
	for _, name := range arguments {
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return err
		}
		if len(content) == 0 {
			return fmt.Errorf("%s is empty", name)
		}
		fmt.Fprintf(&printed, "== %s\n%s", name, content)
	}
	printed.WriteString("== end\n")
	_, err := os.Stdout.Write(printed.Bytes())
	return err
}
