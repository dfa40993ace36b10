package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func written(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const statOfV2 = "usage_usec 2500000\nuser_usec 1\nsystem_usec 1\n" +
	"nr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n"

func TestCountersOfCgroups(t *testing.T) {
	v1 := "3:cpu,cpuacct:/kubepods/pod1/ctr\n0::/\n"
	v2 := "0::/kubepods/pod1/ctr\n"
	for name, test := range map[string]struct {
		membership string
		files      map[string]string
		want       cgroupCPU
	}{
		"v2 with a quota on the pod as well": {v2, map[string]string{
			"cgroup.controllers":                    "cpu\n",
			"cpu.stat":                              "usage_usec 99000000\n",
			"kubepods/cgroup.type":                  "domain\n",
			"kubepods/cpu.stat":                     "usage_usec 9000000\n",
			"kubepods/pod1/cgroup.type":             "domain\n",
			"kubepods/pod1/cpu.stat":                "usage_usec 3000000\nthrottled_usec 50000\n",
			"kubepods/pod1/ctr/cgroup.controllers":  "cpu\n",
			"kubepods/pod1/ctr/cgroup.type":         "domain\n",
			"kubepods/pod1/ctr/cpu.stat":            statOfV2,
			"kubepods/pod1/other/cgroup.type":       "domain\n",
			"kubepods/pod1/other/cpu.stat":          statOfV2,
			"kubepods/pod1/other/cgroup.controller": "",
		}, cgroupCPU{2500 * time.Millisecond, 300 * time.Millisecond, true, true}},
		"v2 in a namespace of its own": {"0::/\n", map[string]string{
			"cgroup.controllers": "cpu\n", "cgroup.type": "domain\n", "cpu.stat": statOfV2,
		}, cgroupCPU{2500 * time.Millisecond, 250 * time.Millisecond, true, true}},
		"v2 outside of any container": {"0::/\n", map[string]string{
			"cgroup.controllers": "cpu\n", "cpu.stat": "usage_usec 2500000\n",
		}, cgroupCPU{}},
		"v1, mounted from the container's own cgroup": {v1, map[string]string{
			"cpu,cpuacct/cpu.stat":      "nr_periods 9\nnr_throttled 3\nthrottled_time 7000000\n",
			"cpu,cpuacct/cpuacct.usage": "1500000000\n",
		}, cgroupCPU{1500 * time.Millisecond, 7 * time.Millisecond, true, true}},
		"v1 with a folder for each controller": {"2:cpuacct:/a\n1:cpu:/a\n0::/\n", map[string]string{
			"cpu/release_agent": "", "cpu/cpu.stat": "throttled_time 5\n",
			"cpu/a/cpu.stat":        "throttled_time 8000000\n",
			"cpuacct/release_agent": "", "cpuacct/cpuacct.usage": "99\n",
			"cpuacct/a/cpuacct.usage": "4000000\n",
		}, cgroupCPU{4 * time.Millisecond, 8 * time.Millisecond, true, true}},
		"v1, at the root, whose counters are the node's": {"2:cpuacct:/\n1:cpu:/\n", map[string]string{
			"cpu/release_agent": "", "cpu/cpu.stat": "throttled_time 5\n",
			"cpuacct/release_agent": "", "cpuacct/cpuacct.usage": "99\n",
		}, cgroupCPU{}},
		"no cgroups at all":      {"", nil, cgroupCPU{}},
		"a number that is none":  {"0::/\n", map[string]string{"cgroup.controllers": "", "cgroup.type": "", "cpu.stat": "usage_usec soon\n"}, cgroupCPU{}},
		"a membership that lies": {"nonsense\n", map[string]string{"cgroup.controllers": ""}, cgroupCPU{}},
	} {
		if got := cgroupCPUOf(written(t, test.files), test.membership); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestUnknownSecondsAreADash(t *testing.T) {
	if got := secondsOrNone(time.Second, false); got != "-" {
		t.Error(got)
	}
	if got := secondsOrNone(1500*time.Microsecond, true); got != "0.001500" {
		t.Error(got)
	}
}
