package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// nextCommand separates commands in one list of arguments.
const nextCommand = "::next::"

// codeNotStarted is the exit code that a shell gives a command that it cannot start.
const codeNotStarted = 127

func splitCommands(words []string) [][]string {
	found := [][]string{nil}
	for _, word := range words {
		if word == nextCommand {
			found = append(found, nil)
		} else {
			found[len(found)-1] = append(found[len(found)-1], word)
		}
	}
	return found
}

// tool is a command that Linux kills with this process, however this process ends. A supervisor that
// is killed so takes its command along, and that command takes the tool along. Linux kills the tool
// with the *thread* that started it, so only the main goroutine starts tools (see init). What a tool
// forks by itself is not killed: nginx and the server of qperf do that, and each is the first process
// of a pod, with which Linux ends all others of the pod.
func tool(name string, arguments ...string) *exec.Cmd {
	command := exec.Command(name, arguments...)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// captured runs a command to its end and returns its exit code and standard output. It has this
// process's standard input and error. The error is that of a command that could not be started.
func captured(argv []string) (int, []byte, error) {
	if len(argv) == 0 {
		return 0, nil, errors.New("a command without words")
	}
	var output bytes.Buffer
	command := tool(argv[0], argv[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, &output, os.Stderr
	if err := command.Start(); err != nil {
		return codeNotStarted, nil, notStarted(argv[0], err)
	}
	if err := command.Wait(); err != nil && command.ProcessState == nil {
		return 0, nil, err
	}
	return exitCodeOf(command.ProcessState), output.Bytes(), nil
}

// exitCodeOf is the exit code as a shell gives it: 128 and the signal for a killed process.
func exitCodeOf(state *os.ProcessState) int {
	status := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// notStarted says in the words of strerror(3) why a command could not be started.
func notStarted(name string, err error) error {
	why := err.Error()
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		why = number.Error()
	case errors.Is(err, exec.ErrNotFound):
		why = syscall.ENOENT.Error()
	case errors.Is(err, fs.ErrPermission):
		why = syscall.EACCES.Error()
	}
	return errors.New(name + ": " + strings.ToUpper(why[:1]) + why[1:])
}
