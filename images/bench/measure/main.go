// Command podmeter-measure is what Podmeter runs in its measuring pods, and on the worker's machine
// where that is the client outside of the cluster. It starts the measuring tools and reads the
// node's counters; it measures nothing on the network except in watch-services.
//
// It uses the standard library only and is linked statically, so that one file runs on every node.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// interfaceVersion rises when the worker needs something that an older program does not have: a
// command, an argument, or another output. It stays where an older program does as well, such as
// with an argument that it ignores. The worker compares it (podmeter.drivers.program) and asks for
// the current image. A newer program serves older workers too, so it still does what they ask.
const interfaceVersion = 1

// commandNotKnown is EX_USAGE of sysexits.h, which no tool that the program starts exits with.
const commandNotKnown = 64

var commands = map[string]func(arguments []string) error{
	"serve":          serve,
	"sample":         sample,
	"print-files":    printFiles,
	"timed":          timed,
	"bundle":         bundle,
	"watch-services": watchServices,
	"until-answered": untilAnswered,
	"until-silent":   untilSilent,
	"ask":            ask,
	"reach":          reach,
	"iptables-chain": chainOfIptables,
	"iptables-count": countOfIptables,
	"nft-map":        mapOfNft,
	"nft-count":      countOfNft,
	"ipvs-servers":   serversOfIPVS,
	"policies":       policies,
	"backends":       backends,
	"iperf3-seen":    seenByIperf3,
	"qperf-server":   serveQperf,
	"qperf-identity": nameOfQperf,
	"vegeta":         attack,
	"nginx":          serveNginx,
	"complaints":     complaints,
	"route":          route,
	"network":        network,
	"version":        version,
}

func init() {
	// Linux kills a command with the *thread* that started it (see supervise): the main goroutine
	// starts all of them and stays on the main thread, which ends with the process.
	runtime.LockOSThread()
	// The program runs beside what is measured: one thread of it at a time is enough.
	runtime.GOMAXPROCS(1)
}

// exitCode is an error that ends the program with a code of its own and no message.
type exitCode int

func (code exitCode) Error() string { return fmt.Sprintf("exit code %d", int(code)) }

func main() {
	// A write to a closed pipe returns an error; the commands that are started keep the default.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(os.Args[1:]))
}

func run(arguments []string) int {
	if len(arguments) == 0 {
		fmt.Fprintln(os.Stderr, "podmeter-measure: which command?")
		return commandNotKnown
	}
	command, known := commands[arguments[0]]
	if !known {
		fmt.Fprintf(os.Stderr, "podmeter-measure: no command %q\n", arguments[0])
		return commandNotKnown
	}
	switch err := command(arguments[1:]).(type) {
	case nil:
		return 0
	case exitCode:
		return int(err)
	default:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
}

// version prints the version of the interface between the worker and this program.
func version(arguments []string) error {
	_, err := fmt.Printf("podmeter-measure %d\n", interfaceVersion)
	return err
}
