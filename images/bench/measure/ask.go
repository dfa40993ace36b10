package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// retryPause is how long until-answered and until-silent wait between two requests.
const retryPause = 5 * time.Millisecond

// untilAnswered asks a URL by curl until it is answered by 2xx; its arguments are the URL and the
// whole seconds after which it gives up (exit code 1). It prints how many requests were in vain, the
// microseconds since the last of them began, and "end".
//
// Requests are short: the first packet of one that begins before the rules are there is lost, and
// would be sent again only a second later.
func untilAnswered(arguments []string) error {
	url, limit, _, err := askedUntil(arguments, 2)
	if err != nil {
		return err
	}
	deadline := monotonic() + limit
	vain, last := 0, time.Duration(0)
	for {
		begun := monotonic()
		answered, err := isAnswered(url, "0.05")
		if err != nil {
			return err
		}
		if answered {
			break
		}
		if monotonic() >= deadline {
			return exitCode(1)
		}
		vain, last = vain+1, begun
		time.Sleep(retryPause)
	}
	since := time.Duration(0)
	if vain > 0 {
		since = monotonic() - last
	}
	_, err = fmt.Printf("%d %d end\n", vain, since.Microseconds())
	return err
}

// untilSilent asks a URL by curl until so many requests in a row have failed, since a single one may
// fail on a busy machine. Its arguments are the URL, the whole seconds after which it gives up (exit
// code 1), and that number. It prints how many requests were answered, the microseconds since the
// first of those that failed began, those since the last that was answered began, and "end".
func untilSilent(arguments []string) error {
	url, limit, inARow, err := askedUntil(arguments, 3)
	if err != nil {
		return err
	}
	deadline := monotonic() + limit
	answers, vain := 0, 0
	var last, silent time.Duration
	for vain < inARow {
		if monotonic() >= deadline {
			return exitCode(1)
		}
		begun := monotonic()
		answered, err := isAnswered(url, "0.25")
		if err != nil {
			return err
		}
		if answered {
			answers, last, vain = answers+1, begun, 0
		} else {
			if vain == 0 {
				silent = begun
			}
			vain++
		}
		time.Sleep(retryPause)
	}
	now := monotonic()
	if answers == 0 {
		last = silent
	}
	_, err = fmt.Printf("%d %d %d end\n",
		answers, (now - silent).Microseconds(), (now - last).Microseconds())
	return err
}

func askedUntil(arguments []string, count int) (url string, limit time.Duration, inARow int, err error) {
	if len(arguments) != count {
		return "", 0, 0, fmt.Errorf("%d arguments are needed", count)
	}
	seconds, err := strconv.Atoi(arguments[1])
	if err == nil && count > 2 {
		inARow, err = strconv.Atoi(arguments[2])
	}
	return arguments[0], time.Duration(seconds) * time.Second, inARow, err
}

func isAnswered(url, connectSeconds string) (bool, error) {
	code, err := curl(url, connectSeconds, "1")
	return code == 0, err
}

func curl(url, connectSeconds, seconds string) (int, error) {
	code, _, err := captured([]string{"curl", "-sf", "-o", "/dev/null",
		"--connect-timeout", connectSeconds, "--max-time", seconds, url})
	return code, err
}

// ask asks each URL once by curl, in turn, and prints curl's exit codes, then "end". The first
// argument is how many seconds a connection may take.
func ask(arguments []string) error {
	if len(arguments) < 1 {
		return errors.New("ask needs the seconds that a connection may take, and URLs")
	}
	var printed strings.Builder
	for _, url := range arguments[1:] {
		code, err := curl(url, arguments[0], "5")
		if err != nil {
			return err
		}
		fmt.Fprintf(&printed, "%d ", code)
	}
	_, err := os.Stdout.WriteString(printed.String() + "end\n")
	return err
}

// reach ends with exit code 0 if the host of an address answers within two seconds. It asks port 9,
// which nobody listens on: a refused connection is an answer too.
func reach(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("reach needs an address")
	}
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(arguments[0], "9"), 2*time.Second)
	if err == nil {
		return connection.Close()
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	return exitCode(1)
}
