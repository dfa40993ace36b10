package main

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// message is what the worker sends: a line, or a command with its time limit.
type message struct {
	line  string
	limit time.Duration
	argv  []string
}

// serve runs one command after another, each as a request on standard input asks for it:
// "<length>\n" and so many bytes, which are the limit in seconds and the command's words, separated
// by NULs. So neither the command's length nor its words appear in a URL. "h" is answered at once.
// Other lines were meant for a command that has ended meanwhile. It ends with its standard input.
// With the argument "usage", answers include the CPU time that the command took.
//
// podmeter_worker.kube.framing is the other side.
func serve(arguments []string) error {
	messages := make(chan message)
	go receive(os.Stdin, messages)
	usage := slices.Contains(arguments, "usage")
	for received := range messages {
		switch {
		case received.argv != nil:
			listening, err := supervise(received, messages, usage)
			if err != nil || !listening {
				return err
			}
		case received.line == "h":
			if _, err := os.Stdout.WriteString("PODMETER1 here\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

// receive reads messages until the input ends or is cut, and closes the channel then.
func receive(input io.Reader, messages chan<- message) {
	defer close(messages)
	reader := bufio.NewReader(input)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		length, err := strconv.ParseUint(line, 10, 31)
		if err != nil {
			messages <- message{line: line}
			continue
		}
		payload := make([]byte, length)
		if _, err := io.ReadFull(reader, payload); err != nil {
			return
		}
		words := strings.Split(string(payload), "\x00")
		seconds, err := strconv.ParseFloat(words[0], 64)
		if err != nil || len(words) < 2 {
			return // not from the worker
		}
		limit := time.Duration(seconds * float64(time.Second))
		messages <- message{limit: limit, argv: words[1:]}
	}
}
