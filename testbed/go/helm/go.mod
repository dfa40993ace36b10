module podmeter.dev/testbed/helm

go 1.25.0
