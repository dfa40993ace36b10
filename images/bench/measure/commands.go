package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// timed runs commands in turn, several times over, each timed by the monotonic clock. Its arguments
// are a lock file or "-", the number of times, and the commands. A command holds the lock if there
// is one; its own time begins once it does. For each it prints
//
//	run <exit code> <seconds> <seconds that it waited for the lock> <bytes>
//
// with the output and a newline after it, and "end" once all are done.
// podmeter.drivers.timed reads it.
func timed(arguments []string) error {
	if len(arguments) < 3 {
		return fmt.Errorf("timed needs a lock, a number of times and commands")
	}
	lock := arguments[0]
	times, err := strconv.Atoi(arguments[1])
	if err != nil {
		return err
	}
	commands := splitCommands(arguments[2:])
	for range times {
		for _, argv := range commands {
			if err := timeOne(lock, argv); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Println("end")
	return err
}

func timeOne(lock string, argv []string) error {
	asked := monotonic()
	if lock != "-" {
		held, err := os.OpenFile(lock, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err != nil {
			return notStarted(lock, err)
		}
		defer held.Close()
		if err := flock(held); err != nil {
			return notStarted(lock, err)
		}
	}
	begun := monotonic()
	code, output, err := captured(argv)
	if err != nil {
		return err
	}
	took := monotonic() - begun
	_, err = fmt.Printf("run %d %.9f %.9f %d\n%s\n",
		code, took.Seconds(), (begun - asked).Seconds(), len(output), output)
	return err
}

func flock(file *os.File) error {
	for {
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}

// bundle runs commands in turn, whatever each one's exit code. For each it prints
// "ran <exit code> <bytes>", the output and a newline, and "end" once all are done.
// podmeter.drivers.bundle reads it.
func bundle(arguments []string) error {
	var printed bytes.Buffer
	for _, argv := range splitCommands(arguments) {
		code, output, err := captured(argv)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Fprintf(&printed, "ran %d %d\n%s\n", code, len(output), output)
	}
	printed.WriteString("end\n")
	_, err := os.Stdout.Write(printed.Bytes())
	return err
}
