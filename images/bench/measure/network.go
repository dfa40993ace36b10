package main

import (
	"fmt"
	"os"
)

// route prints a line of JSON for the way to an address, one for the devices, and one for the way to
// the node that the address is on, if the second argument names it. podmeter.drivers.route reads it.
func route(arguments []string) error {
	if len(arguments) != 2 {
		return wrongCount("route")
	}
	asked := [][]string{
		{"ip", "-j", "route", "get", arguments[0]},
		{"ip", "-j", "-d", "link", "show"},
	}
	if arguments[1] != "" {
		asked = append(asked, []string{"ip", "-j", "route", "get", arguments[1]})
	}
	for _, argv := range asked {
		output, err := printed(argv...)
		if err != nil {
			return err
		}
		if _, err := os.Stdout.Write(output); err != nil {
			return err
		}
	}
	return nil
}

// network prints whose network this process has: which kernel's, and which of that kernel's.
func network(arguments []string) error {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	namespace, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%s%s\n", boot, namespace)
	return err
}
