package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	// killAfter is how long a command that was asked to end has until it is killed.
	killAfter = 2 * time.Second
	// descriptorReady is where a command writes a byte once it is ready.
	descriptorReady = 3
)

// supervised is a command that runs, in a session and so a process group of its own.
type supervised struct {
	output, complaints *os.File
	input              *os.File // the end that this program writes to
	readiness          *os.File // the end that this program reads from
	process            *os.Process
	begun              time.Duration
	counted            cgroupCPU // before it began
}

// ended is how the command ended. `used` is the CPU time of it and of all that it waited for; it is
// unknown of a command that did not start. `throttled` is how long a CPU quota held this program's
// cgroup, and the command in it, meanwhile.
type ended struct {
	code                      int
	seconds                   float64
	used, throttled           time.Duration
	usedKnown, throttledKnown bool
}

// supervise runs one command and sends what it printed, framed:
//
//	PODMETER1 started
//	PODMETER1 ready            if the command says so on descriptor 3
//	PODMETER1 used <CPU seconds> <throttled seconds>     if asked for; "-" is unknown
//	PODMETER1 <exited|timeout|killed> <exit code> <seconds> <bytes out> <bytes err> <SHA-256s>
//	<out><err>
//	PODMETER1 end
//
// While the command runs, the message "n" gives it a newline; any other message, and the end of the
// messages, kills it. It returns whether the worker still listens.
//
// Output goes to files first, so that nothing is sent while the command measures, and its length
// and digest are known before the first byte is sent.
func supervise(asked message, messages <-chan message, usage bool) (listening bool, err error) {
	command, waited, err := start(asked.argv)
	if err != nil {
		return false, err
	}
	defer command.close()
	defer command.kill(syscall.SIGKILL) // also when the worker can no longer be notified
	if _, err := os.Stdout.WriteString("PODMETER1 started\n"); err != nil {
		return false, err
	}
	ready := make(chan struct{})
	go awaitReadiness(command.readiness, ready)
	ending, kills := "exited", 0
	deadline := time.NewTimer(asked.limit)
	defer deadline.Stop()
	end := func(why string) {
		if kills == 0 {
			ending = why
			command.kill(syscall.SIGTERM)
		} else {
			command.kill(syscall.SIGKILL)
		}
		kills++
		deadline.Reset(killAfter)
	}
	for {
		select {
		case how := <-waited:
			command.kill(syscall.SIGKILL) // what it left in its group
			command.process = nil         // its number may be another process's from now on
			if messages == nil {
				return false, nil
			}
			if usage {
				if _, err := fmt.Printf("PODMETER1 used %s %s\n",
					secondsOrNone(how.used, how.usedKnown),
					secondsOrNone(how.throttled, how.throttledKnown)); err != nil {
					return false, err
				}
			}
			return true, command.send(ending, how)
		case <-deadline.C:
			end("timeout")
		case <-ready:
			ready = nil
			if _, err := os.Stdout.WriteString("PODMETER1 ready\n"); err != nil {
				return false, err
			}
		case received, open := <-messages:
			switch {
			case !open:
				messages = nil
				end("killed")
			case received.line == "n":
				command.input.WriteString("\n") // fails if the command has closed its input
			default:
				end("killed")
			}
		}
	}
}

// start starts a command. Its end is sent to the channel. One that cannot be started has ended, as
// in a shell, with the reason on its standard error.
func start(argv []string) (*supervised, <-chan ended, error) {
	command := &supervised{}
	output, err := memoryFile()
	if err != nil {
		return nil, nil, err
	}
	command.output = output
	if command.complaints, err = memoryFile(); err != nil {
		return nil, nil, err
	}
	theirInput, input, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirInput.Close()
	readiness, theirReadiness, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirReadiness.Close()
	command.input, command.readiness = input, readiness
	waited := make(chan ended, 1)
	command.counted = readCgroupCPU()
	command.begun = monotonic()
	path, err := exec.LookPath(argv[0])
	if err == nil {
		command.process, err = os.StartProcess(path, argv, &os.ProcAttr{
			Files: []*os.File{theirInput, command.output, command.complaints, theirReadiness},
			// A command does not outlive a supervisor that is killed.
			Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
		})
	}
	if err != nil {
		fmt.Fprintln(command.complaints, notStarted(argv[0], err))
		waited <- ended{code: codeNotStarted, seconds: (monotonic() - command.begun).Seconds()}
		return command, waited, nil
	}
	go func() {
		state, err := command.process.Wait()
		if err != nil {
			panic("waiting for the command: " + err.Error())
		}
		how := ended{code: exitCodeOf(state), seconds: (monotonic() - command.begun).Seconds()}
		how.used, how.usedKnown = state.UserTime()+state.SystemTime(), true
		before, after := command.counted, readCgroupCPU()
		how.throttled = after.throttled - before.throttled
		how.throttledKnown = before.throttledKnown && after.throttledKnown && how.throttled >= 0
		waited <- how
	}()
	return command, waited, nil
}

// memoryFile is a file below /tmp, which is memory in a pod. It has no name, so that nothing is left
// of it however this program ends.
func memoryFile() (*os.File, error) {
	file, err := os.CreateTemp("/tmp", ".podmeter-")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}

// awaitReadiness closes the channel at the first byte; nothing happens if there is none.
func awaitReadiness(readiness *os.File, ready chan<- struct{}) {
	if read, _ := readiness.Read(make([]byte, 1)); read == 1 {
		close(ready)
	}
}

// kill signals the whole process group, which there may be more of than the command.
func (command *supervised) kill(with syscall.Signal) {
	if command.process != nil {
		syscall.Kill(-command.process.Pid, with) // fails if nothing is left
	}
}

func (command *supervised) close() {
	for _, file := range []*os.File{
		command.output, command.complaints, command.input, command.readiness,
	} {
		file.Close()
	}
}

// send sends the frame of a command that has ended.
func (command *supervised) send(ending string, how ended) error {
	files := []*os.File{command.output, command.complaints}
	var sizes [2]int64
	var digests [2][]byte
	for number, file := range files {
		state, err := file.Stat()
		if err != nil {
			return err
		}
		sizes[number] = state.Size()
		digest := sha256.New()
		if _, err := io.Copy(digest, io.NewSectionReader(file, 0, sizes[number])); err != nil {
			return err
		}
		digests[number] = digest.Sum(nil)
	}
	if _, err := fmt.Printf("PODMETER1 %s %d %.9f %d %d %x %x\n",
		ending, how.code, how.seconds, sizes[0], sizes[1], digests[0], digests[1]); err != nil {
		return err
	}
	for number, file := range files {
		if _, err := io.Copy(os.Stdout, io.NewSectionReader(file, 0, sizes[number])); err != nil {
			return err
		}
	}
	_, err := os.Stdout.WriteString("PODMETER1 end\n")
	return err
}
