package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// firstRule is what a binary of iptables prints of the first rule of KUBE-SERVICES.
func firstRule(binary string) []byte {
	output, _ := tool(binary, "-w", "-t", "nat", "-S", "KUBE-SERVICES", "1").Output()
	return output
}

const (
	codeNotSeen  = 3
	seenPause    = 10 * time.Millisecond
	restartPause = 100 * time.Millisecond
)

// seenByIperf3 prints the run of one client as the server saw it, and empties the server's log. Its
// arguments are the client's cookie, the whole seconds to wait (the server writes it a moment after
// the client has ended), and the log. The exit code is 3 where the server saw no such run.
func seenByIperf3(arguments []string) error {
	if len(arguments) != 3 {
		return wrongCount("iperf3-seen")
	}
	seconds, err := strconv.Atoi(arguments[1])
	if err != nil {
		return err
	}
	deadline := monotonic() + time.Duration(seconds)*time.Second
	for {
		log, err := os.ReadFile(arguments[2])
		if err == nil && bytes.Contains(log, []byte(arguments[0])) {
			if document := lastDocument(log); document != nil {
				if _, err := os.Stdout.Write(document); err != nil {
					return err
				}
				return os.Truncate(arguments[2], 0)
			}
		}
		if monotonic() >= deadline {
			return exitCode(codeNotSeen)
		}
		time.Sleep(seenPause)
	}
}

// lastDocument is the last JSON object of a log whose last line ends one; only the first and the
// last line of an object are not indented.
func lastDocument(log []byte) []byte {
	if !bytes.HasSuffix(log, []byte("\n}\n")) {
		return nil
	}
	if at := bytes.LastIndex(log, []byte("\n{\n")); at >= 0 {
		return log[at+1:]
	}
	if bytes.HasPrefix(log, []byte("{\n")) {
		return log
	}
	return nil
}

// serveQperf runs a server of qperf again and again: one whose client is killed may wait for ever,
// and is killed then. It is a pod's first process, so it waits for what others left too.
func serveQperf(arguments []string) error {
	if len(arguments) != 1 {
		return wrongCount("qperf-server")
	}
	for {
		if _, _, err := captured([]string{"qperf", "--listen_port", arguments[0]}); err != nil {
			return err
		}
		for {
			if left, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); left <= 0 || err != nil {
				break
			}
		}
		time.Sleep(restartPause)
	}
}

// nameOfQperf prints the host name by which a server of this pod answers, if a qperf of its own
// listens at the port; else it ends with exit code 3. On the nodes' own network that may as well be
// somebody else's.
func nameOfQperf(arguments []string) error {
	if len(arguments) != 1 {
		return wrongCount("qperf-identity")
	}
	port, err := strconv.Atoi(arguments[0])
	if err != nil {
		return err
	}
	own := socketsOf("qperf")
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		for _, socket := range listeningSockets(table, port) {
			if own[socket] {
				name, err := os.Hostname()
				if err != nil {
					return err
				}
				_, err = fmt.Println(name)
				return err
			}
		}
	}
	return exitCode(codeNotSeen)
}

// socketsOf are the sockets of all processes of a name, as /proc links to them.
func socketsOf(name string) map[string]bool {
	found := map[string]bool{}
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, path := range names {
		if content, err := os.ReadFile(path); err != nil || string(content) != name+"\n" {
			continue // another one, or gone meanwhile
		}
		descriptors, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "fd", "*"))
		for _, descriptor := range descriptors {
			if target, err := os.Readlink(descriptor); err == nil {
				found[target] = true
			}
		}
	}
	return found
}

// listeningSockets are the sockets of a table that listen at a port. A kernel without IPv6 has no
// table of it.
func listeningSockets(table string, port int) []string {
	const listens = "0A"
	content, err := os.ReadFile(table)
	if err != nil {
		return nil
	}
	var found []string
	for _, line := range lines(content) {
		words := strings.Fields(line)
		if len(words) > 9 && words[3] == listens &&
			strings.HasSuffix(words[1], fmt.Sprintf(":%04X", port)) {
			found = append(found, "socket:["+words[9]+"]")
		}
	}
	return found
}

// attack runs vegeta. Its arguments are a URL and the attack's options. What vegeta found is written
// down and read afterwards, so that nothing else runs meanwhile; bodies are read and not kept. It
// prints vegeta's own report, the first answer's headers, then of each request its number, the
// nanoseconds of its start, its status and the nanoseconds it took; "end", how many there were and
// how many failed.
func attack(arguments []string) error {
	if len(arguments) < 1 {
		return wrongCount("vegeta")
	}
	found, err := memoryFile()
	if err != nil {
		return err
	}
	defer found.Close()
	// The tool's descriptor 3 is that file, which has no name.
	const file = "/proc/self/fd/3"
	run := func(input io.Reader, output io.Writer, words ...string) error {
		command := tool("vegeta", words...)
		command.Stdin, command.Stdout, command.Stderr = input, output, os.Stderr
		command.ExtraFiles = []*os.File{found}
		if err := command.Start(); err != nil {
			return notStarted("vegeta", err)
		}
		command.Wait() // its state has the exit code
		if code := exitCodeOf(command.ProcessState); code != 0 {
			return exitCode(code)
		}
		return nil
	}
	options := append([]string{"attack", "-output=" + file, "-max-body=0", "-dns-ttl=-1"},
		arguments[1:]...)
	if err := run(strings.NewReader("GET "+arguments[0]+"\n"), nil, options...); err != nil {
		return err
	}
	if err := run(nil, os.Stdout, "report", "-type=json", file); err != nil {
		return err
	}
	var table bytes.Buffer
	if err := run(nil, &table, "encode", "-to=csv", file); err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(shortened(table.Bytes()))
	return err
}

// shortened is vegeta's table of requests, less what nobody reads.
func shortened(table []byte) string {
	const at, status, took, failure, number, headers = 0, 1, 2, 5, 8, 11
	var text strings.Builder
	count, failed := 0, 0
	for _, line := range lines(table) {
		if line == "" {
			continue
		}
		columns := append(strings.Split(line, ","), make([]string, headers+1)...)
		count++
		if count == 1 {
			first := columns[headers]
			if columns[failure] != "" {
				first = ""
			}
			fmt.Fprintf(&text, "headers %s\n", first)
		}
		if columns[failure] != "" {
			if failed++; failed == 1 {
				fmt.Fprintf(&text, "failed %s\n", line[:min(len(line), 400)])
			}
			continue
		}
		fmt.Fprintf(&text, "%s %s %s %s\n",
			columns[number], columns[at], columns[status], columns[took])
	}
	fmt.Fprintf(&text, "end %d %d\n", count, failed)
	return text.String()
}

// serveNginx becomes nginx. Its arguments are the configuration and the lengths of files, which are
// named by them below /tmp/www: that is memory.
func serveNginx(arguments []string) error {
	if len(arguments) < 1 {
		return wrongCount("nginx")
	}
	const configuration, folder = "/tmp/nginx.conf", "/tmp/www"
	if err := os.WriteFile(configuration, []byte(arguments[0]), 0o644); err != nil {
		return err
	}
	for _, length := range arguments[1:] {
		size, err := strconv.Atoi(length)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		body := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(filepath.Join(folder, length), body, 0o644); err != nil {
			return err
		}
	}
	path, err := exec.LookPath("nginx")
	if err != nil {
		return notStarted("nginx", err)
	}
	argv := []string{"nginx", "-e", "stderr", "-c", configuration}
	return notStarted("nginx", syscall.Exec(path, argv, os.Environ()))
}

// complaints runs a command and prints what it writes to standard error instead of its output:
// conntrack would print each entry that it deletes, and tells their number there.
func complaints(arguments []string) error {
	if len(arguments) < 1 {
		return wrongCount("complaints")
	}
	command := tool(arguments[0], arguments[1:]...)
	command.Stderr = os.Stdout
	if err := command.Start(); err != nil {
		return notStarted(arguments[0], err)
	}
	command.Wait() // its state has the exit code
	if code := exitCodeOf(command.ProcessState); code != 0 {
		return exitCode(code)
	}
	return nil
}
