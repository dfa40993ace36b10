package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// What a kernel holds is counted here, on the node: a chain may have 100,000 rules, of which the
// worker needs three numbers. The drivers in podmeter.drivers.netfilter read the answers.

// printed runs a tool that must succeed and returns what it printed. The error has the tool's exit
// code; what the tool wrote to standard error is there already.
func printed(argv ...string) ([]byte, error) {
	code, output, err := captured(argv)
	if err == nil && code != 0 {
		err = exitCode(code)
	}
	return output, err
}

func lines(output []byte) []string {
	return strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
}

func wrongCount(command string) error {
	return errors.New(command + ": another number of arguments is needed")
}

// chainOfIptables reads a chain of the table nat. Its arguments are the binary, the chain, and what
// the comments of the run's Services begin with. It prints how many rules there are and how many of
// the run's Services, the first and the last of these with their numbers, and "end". kube-proxy adds
// a second rule for localhost to each node port, which counts as a rule and not as a Service.
func chainOfIptables(arguments []string) error {
	if len(arguments) != 3 {
		return wrongCount("iptables-chain")
	}
	output, err := printed(arguments[0], "-w", "-t", "nat", "-S", arguments[1])
	if err != nil {
		return err
	}
	rules, services := 0, 0
	first, last := "", ""
	for _, line := range lines(output) {
		if !strings.HasPrefix(line, "-A ") {
			continue
		}
		rules++
		if strings.Contains(line, arguments[2]) && !strings.Contains(line, "-d 127.0.0.0/8") {
			services++
			last = fmt.Sprintf("%d %s\n", rules, line)
			if services == 1 {
				first = last
			}
		}
	}
	_, err = fmt.Printf("%d %d\n%s%send\n", rules, services, first, last)
	return err
}

// countOfIptables counts the rules of all tables, and those in chains of Kubernetes.
func countOfIptables(arguments []string) error {
	if len(arguments) != 1 {
		return wrongCount("iptables-count")
	}
	output, err := printed(arguments[0] + "-save")
	if err != nil {
		return err
	}
	all, ofKubernetes := 0, 0
	for _, line := range lines(output) {
		if strings.HasPrefix(line, "-A ") {
			all++
		}
		if strings.HasPrefix(line, "-A KUBE-") {
			ofKubernetes++
		}
	}
	_, err = fmt.Printf("%d %d end\n", all, ofKubernetes)
	return err
}

var nftTarget = regexp.MustCompile(`"target": "[^"]*"`)

// mapOfNft counts the elements of a verdict map of kube-proxy's, and those of the run's Services. An
// element's target is the Service's chain, service-<hash>-<namespace>/<name>/tcp/<port>; the second
// argument is what <namespace>/<name> begins with.
func mapOfNft(arguments []string) error {
	if len(arguments) != 2 {
		return wrongCount("nft-map")
	}
	output, err := printed("nft", "-j", "list", "map", "ip", "kube-proxy", arguments[0])
	if err != nil {
		return err
	}
	targets := nftTarget.FindAll(output, -1)
	services := 0
	for _, target := range targets {
		if bytes.Contains(target, []byte("-"+arguments[1])) {
			services++
		}
	}
	_, err = fmt.Printf("%d %d end\n", len(targets), services)
	return err
}

// countOfNft counts the rules of kube-proxy's table.
func countOfNft(arguments []string) error {
	output, err := printed("nft", "-j", "list", "table", "ip", "kube-proxy")
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%d end\n", bytes.Count(output, []byte(`{"rule": {`)))
	return err
}

// serversOfIPVS prints every virtual server as "-t <address>:<port>", then "end" and how many real
// ones there are. With names of sets of addresses as arguments it prints "set <name>" and the
// entries of those that there are, then "end sets": another proxy than kube-proxy has none of them.
func serversOfIPVS(arguments []string) error {
	saved, err := printed("ipvsadm", "-S", "-n")
	if err != nil {
		return err
	}
	var text strings.Builder
	realServers := 0
	for _, line := range lines(saved) {
		words := strings.Fields(line)
		switch {
		case len(words) > 2 && words[0] == "-A":
			fmt.Fprintf(&text, "%s %s\n", words[1], words[2])
		case len(words) > 0 && words[0] == "-a":
			realServers++
		}
	}
	fmt.Fprintf(&text, "end %d\n", realServers)
	if len(arguments) > 0 {
		if err := writeSets(&text, arguments); err != nil {
			return err
		}
	}
	_, err = os.Stdout.WriteString(text.String())
	return err
}

func writeSets(text *strings.Builder, wanted []string) error {
	names, err := printed("ipset", "list", "-n")
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, name := range lines(names) {
		there[name] = true
	}
	for _, name := range wanted {
		if !there[name] {
			continue
		}
		saved, err := printed("ipset", "save", name)
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "set %s\n", name)
		for _, line := range lines(saved) {
			if words := strings.Fields(line); len(words) > 2 && words[0] == "add" {
				fmt.Fprintf(text, "%s\n", words[2])
			}
		}
	}
	text.WriteString("end sets\n")
	return nil
}

// policyName ends where a character follows that no name of a Kubernetes object has.
var policyName = regexp.MustCompile(`^[a-z0-9-]*`)

// policies looks for NetworkPolicies in the comments of the table filter. Its arguments are what the
// names of a run's policies begin with, and the name of the matching policy. In the chain that
// names most of them it counts them, and tells the place of that one among them, or 0.
func policies(arguments []string) error {
	if len(arguments) != 2 {
		return wrongCount("policies")
	}
	own, wanted := arguments[0], arguments[1]
	rules, err := printed("iptables-nft", "-w", "-t", "filter", "-S")
	if err != nil {
		return err
	}
	if hasLegacyTable("filter") {
		legacy, err := printed("iptables-legacy", "-w", "-t", "filter", "-S")
		if err != nil {
			return err
		}
		rules = append(rules, legacy...)
	}
	places := map[string]map[string]int{}
	longest := ""
	for _, line := range lines(rules) {
		words := strings.Fields(line)
		at := strings.Index(line, own)
		if len(words) < 2 || words[0] != "-A" || at < 0 {
			continue
		}
		chain, name := words[1], policyName.FindString(line[at:])
		if places[chain] == nil {
			places[chain] = map[string]int{}
		}
		if places[chain][name] == 0 {
			places[chain][name] = len(places[chain]) + 1
		}
		if len(places[chain]) > len(places[longest]) {
			longest = chain
		}
	}
	_, err = fmt.Printf("%d %d end\n", len(places[longest]), places[longest][wanted])
	return err
}

// hasLegacyTable asks the kernel: to list a legacy table would load its modules where nobody uses
// them.
func hasLegacyTable(name string) bool {
	return fileHasLine("/proc/net/ip_tables_names", func(line string) bool { return line == name })
}

func fileHasLine(path string, is func(line string) bool) bool {
	content, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for _, line := range lines(content) {
		if is(line) {
			return true
		}
	}
	return false
}

var (
	virtualServer = regexp.MustCompile(`^(TCP|UDP|SCTP) `)
	// ruleBesideIPVS is a rule of the chain KUBE-SERVICES that IPVS has too.
	ruleBesideIPVS = regexp.MustCompile(
		`-s 127[.]0[.]0[.]0/8 -j RETURN|--match-set |-j KUBE-NODE-PORT$`)
)

// backends prints which backends hold rules of kube-proxy, one a line, then "end". IPVS has a chain
// KUBE-SERVICES too, which is there before its virtual servers are and after they are gone; its
// first rule tells it, whichever that is.
func backends(arguments []string) error {
	var text strings.Builder
	if tables, err := printed("nft", "list", "tables", "ip"); err == nil {
		for _, line := range lines(tables) {
			if line == "table ip kube-proxy" {
				text.WriteString("nftables\n")
			}
		}
	}
	if hasServiceRules("iptables-nft") {
		text.WriteString("iptables-nft\n")
	}
	if hasLegacyTable("nat") && hasServiceRules("iptables-legacy") {
		text.WriteString("iptables-legacy\n")
	}
	if fileHasLine("/proc/net/ip_vs", virtualServer.MatchString) {
		text.WriteString("ipvs\n")
	}
	_, err := os.Stdout.WriteString(text.String() + "end\n")
	return err
}

// hasServiceRules is whether the first rule of KUBE-SERVICES is one of iptables' mode. Without the
// chain the tool fails, and what it says of that is no complaint.
func hasServiceRules(binary string) bool {
	output := firstRule(binary)
	if len(output) == 0 {
		return false
	}
	for _, line := range lines(output) {
		if !ruleBesideIPVS.MatchString(line) {
			return true
		}
	}
	return false
}
