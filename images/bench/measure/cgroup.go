package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Where cgroups are mounted, and what says which ones this process is in.
const (
	cgroupMount      = "/sys/fs/cgroup"
	cgroupMembership = "/proc/self/cgroup"
)

// cgroupCPU is what this process's cgroups have counted so far. `usage` is the CPU time of its own
// cgroup; `throttled` is how long CPU quotas, its own and those above it, kept it from running.
type cgroupCPU struct {
	usage, throttled           time.Duration
	usageKnown, throttledKnown bool
}

func readCgroupCPU() cgroupCPU {
	membership, err := os.ReadFile(cgroupMembership)
	if err != nil {
		return cgroupCPU{}
	}
	return cgroupCPUOf(cgroupMount, string(membership))
}

func cgroupCPUOf(mount, membership string) cgroupCPU {
	var found cgroupCPU
	if own := cgroupFolders(mount, membership, "cpuacct"); len(own) > 0 {
		// cgroup v1 counts nanoseconds in a file of its own, v2 microseconds in cpu.stat.
		if content, err := os.ReadFile(filepath.Join(own[0], "cpuacct.usage")); err == nil {
			found.usage, found.usageKnown = durationOf(strings.TrimSpace(string(content)), time.Nanosecond)
		} else {
			found.usage, found.usageKnown = cpuStat(own[0], "usage_usec", time.Microsecond)
		}
	}
	for _, folder := range cgroupFolders(mount, membership, "cpu") {
		// throttled_usec is the name in cgroup v2, throttled_time in v1.
		spent, known := cpuStat(folder, "throttled_usec", time.Microsecond)
		if !known {
			spent, known = cpuStat(folder, "throttled_time", time.Nanosecond)
		}
		if known {
			found.throttled, found.throttledKnown = found.throttled+spent, true
		}
	}
	return found
}

// cgroupFolders are the folders of this process's cgroups with a controller, from its own one up to
// the highest that it can see. The root of the whole hierarchy is the node's and left out. Where the
// path is another namespace's, the mount itself is the process's own cgroup.
func cgroupFolders(mount, membership, controller string) []string {
	base, path := "", ""
	for _, line := range lines([]byte(membership)) {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), controller) {
			base, path = filepath.Join(mount, parts[1]), parts[2]
			if !exists(base) {
				base = filepath.Join(mount, controller)
			}
			break
		}
		if parts[1] == "" && exists(filepath.Join(mount, "cgroup.controllers")) {
			base, path = mount, parts[2]
		}
	}
	if base == "" {
		return nil
	}
	var folders []string
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		folder := filepath.Join(base, path)
		if exists(folder) && !isRootCgroup(folder) {
			folders = append(folders, folder)
		}
		if path == "/" {
			return folders
		}
	}
}

// isRootCgroup tells by files that only the root has (v1), or all but the root (v2).
func isRootCgroup(folder string) bool {
	v2 := exists(filepath.Join(folder, "cgroup.controllers"))
	return exists(filepath.Join(folder, "release_agent")) ||
		v2 && !exists(filepath.Join(folder, "cgroup.type"))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func cpuStat(folder, name string, unit time.Duration) (time.Duration, bool) {
	content, err := os.ReadFile(filepath.Join(folder, "cpu.stat"))
	if err != nil {
		return 0, false
	}
	for _, line := range lines(content) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == name {
			return durationOf(words[1], unit)
		}
	}
	return 0, false
}

func durationOf(text string, unit time.Duration) (time.Duration, bool) {
	count, err := strconv.ParseInt(text, 10, 64)
	return time.Duration(count) * unit, err == nil
}

// secondsOrNone is a time in seconds, or "-" where it is unknown.
func secondsOrNone(spent time.Duration, known bool) string {
	if !known {
		return "-"
	}
	return strconv.FormatFloat(spent.Seconds(), 'f', 6, 64)
}
