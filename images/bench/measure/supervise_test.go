package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asProgram makes the test's own binary the program, so that a test kills a process of the code
// that it tests and not of what was built before.
const asProgram = "PODMETER_MEASURE_TEST_PROGRAM"

// patience is longer than a busy machine stalls.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// tools is a folder with a tool of each name, all of which write their process number into it and
// end only when they are killed.
func tools(t *testing.T, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	// Renamed, the file is never read half written.
	script := fmt.Sprintf("#!/bin/sh\necho $$ >%[1]s/part\nmv %[1]s/part %[1]s/pid\nexec sleep 600\n", folder)
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func wait(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
	}
}

// hasEnded is also true of a process that nobody has waited for: who that is depends on the machine.
func hasEnded(process int) bool {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(content), ") ")
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}

func TestNothingOutlivesASupervisorThatIsKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		"tool",
		program + " bundle true " + nextCommand + " tool",
		program + " timed - 1 tool",
		program + " complaints tool",
		program + " vegeta http://127.0.0.1:9/ -rate=1",
		program + " ask 1 http://127.0.0.1:9/",
		program + " until-answered http://127.0.0.1:9/ 600",
		program + " qperf-server 9",
		program + " iptables-chain iptables KUBE-SERVICES comment",
		program + " backends",
		// However many stand between it and the supervisor.
		program + " timed - 1 " + program + " bundle tool",
	} {
		argv := strings.Fields(words)
		name := strings.ReplaceAll(words, program, "podmeter-measure")
		t.Run(name, func(t *testing.T) {
			folder := tools(t, "tool", "vegeta", "curl", "qperf", "iptables", "iptables-nft")
			supervisor := exec.Command(program, "serve")
			supervisor.Env = append(os.Environ(),
				asProgram+"=1", "PATH="+folder+":"+os.Getenv("PATH"))
			input, err := supervisor.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := supervisor.Start(); err != nil {
				t.Fatal(err)
			}
			defer supervisor.Process.Kill()
			payload := "600\x00" + strings.Join(argv, "\x00")
			if _, err := fmt.Fprintf(input, "%d\n%s", len(payload), payload); err != nil {
				t.Fatal(err)
			}
			process := 0
			wait(t, "the tool to begin", func() bool {
				content, err := os.ReadFile(filepath.Join(folder, "pid"))
				if err == nil {
					process, err = strconv.Atoi(string(bytes.TrimSpace(content)))
				}
				return err == nil
			})
			defer syscall.Kill(process, syscall.SIGKILL)
			if hasEnded(process) {
				t.Fatal("the tool ended by itself")
			}
			if err := supervisor.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			supervisor.Wait() // its error says that it was killed
			wait(t, "the tool to end", func() bool { return hasEnded(process) })
		})
	}
}
