"""Tools that answer with what the real ones once printed, in a cluster in memory."""

import base64
import itertools
import json
import re
from dataclasses import replace

from core.tests.captures import captured, version_folder

from podmeter.domain.ports import Access, CommandOutput
from podmeter.drivers import program, qperf


def said(stdout, exit_code=0, stderr=""):
    return CommandOutput(stdout, stderr, exit_code, 0.01)


def vegeta_said(requests, rate, body_bytes, nanoseconds=500_000):
    """What vegeta prints of requests that each take a little longer than the one before."""
    taken = [nanoseconds + 100 * number for number in range(requests)]
    starts = [1_700_000_000_000_000_000 + number * (10**9 // rate) for number in range(requests)]
    report = {
        "latencies": {
            "total": sum(taken),
            "mean": sum(taken) // requests,
            "min": taken[0],
            "max": taken[-1],
        },
        "duration": starts[-1] - starts[0],
        "wait": taken[-1],
        "requests": requests,
        "success": 1,
        "status_codes": {"200": requests},
    }
    headers = f"Content-Length: {body_bytes}\r\nServer: nginx\r\n\r\n"
    lines = [json.dumps(report), f"headers {base64.b64encode(headers.encode()).decode()}"]
    lines += [f"{n} {starts[n]} 200 {taken[n]}" for n in range(requests)]
    return said("\n".join([*lines, f"end {requests} 0", ""]))


class FakeTools:
    """What commands of a FakeLab answer: each by the method of its name.

    Of a tool `x` that is `_x`, of a command `a-b` of `podmeter-measure` `_a_b`. Versions are the
    newest that was captured.
    """

    in_sets = ()

    def _scripted(self, tool):
        queue = self.answers.get(tool)
        if not queue:
            return None
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _answer(self, argv):
        tool = self._tool(argv)
        self.accepted += self._connections(tool, argv)
        answer = getattr(self, f"_{tool}", None)
        if answer is None:
            raise AssertionError(
                f"no answer to {' '.join(argv)}: add a method _{tool} to FakeTools (fake_tools.py)"
            )
        return self._scripted(tool) or answer(argv)

    def _tool(self, argv):
        text = " ".join(argv)
        if argv[0] == program.NAME:
            return self._of_program(argv)
        if argv[0] == "qperf" and argv[-1] == "conf":
            return "qperf" if "--ip_port" in argv else "conf"
        if argv in (qperf.CAN_SERVE_ARGV, qperf.REVIVE_ARGV):
            return "can_serve" if argv == qperf.CAN_SERVE_ARGV else "revive"
        if "--version" in argv or version_folder(argv):
            return "version"
        for mark, tool in (("--bytes", "reach"), ("--client", "iperf3")):
            if mark in text:
                return tool
        return {"curl": "once"}.get(argv[0], argv[0].replace("-", "_"))

    @staticmethod
    def _of_program(argv):
        if argv[1] == "timed":
            return "curl" if "--write-out" in argv else "change"
        names = {
            "ask": "asked",
            "print-files": "counters",
            "complaints": "forget",
            "backends": "probe",
            "iptables-chain": "chain",
            "iptables-count": "count",
            "nft-map": "map",
            "nft-count": "count",
            "ipvs-servers": "servers",
            "iperf3-seen": "seen",
            "qperf-identity": "identity",
        }
        return names.get(argv[1], argv[1].replace("-", "_"))

    def _version(self, argv):
        folder = version_folder(argv)
        return captured(folder, "version") if folder else said("v1.8.11\n")

    def _asked(self, argv):
        """Who asks is let in where no policy stands, or one is for it and the port."""
        if self.lag:
            self.lag -= 1
        else:
            self.enforced = dict(self.policies) if self.enforces else {}
        ports = [int(url.split(":")[2].split("/")[0]) for url in argv[3:]]
        open_ = {one.port for one in self.enforced.values() if one.client == self.place.name}
        let_in = [not self.enforced or port in open_ for port in ports]
        self.accepted += sum(let_in)
        return said("".join(f"{0 if one else 7} " for one in let_in) + "end\n")

    def _policies(self, argv):
        names = sorted(self.enforced) if self.names_policies else []
        place = names.index(argv[3]) + 1 if argv[3] in names else 0
        return said(f"{len(names)} {place} end\n")

    def _vegeta(self, argv):
        """As many as asked for, or as many as the path takes."""
        told = dict(word.removeprefix("-").split("=") for word in argv[3:])
        rate = int(told["rate"].removesuffix("/1s"))
        seconds = int(told["duration"].removesuffix("ns")) / 1e9
        reached = min(rate, self.capacity)
        requests = round(seconds * reached + 0.5)
        self.accepted += requests if told["keepalive"] == "false" else 2
        return vegeta_said(requests, reached, int(argv[2].rpartition("/")[2]))

    def _reach(self, argv):
        self.heard = "tcp"
        return captured("iperf3-3.18", "tcp")

    def _iperf3(self, argv):
        streams = argv[argv.index("--parallel") + 1]
        name = "udp" if "--udp" in argv else "tcp"
        self.heard = f"{name}-8-streams" if streams == "8" else name
        return captured("iperf3-3.18", self.heard)

    def _seen(self, argv):
        return captured("iperf3-3.18", f"{self.heard}-seen")

    def _identity(self, argv):
        """A pod's host name is its own, one on the node's network has the node's."""
        host = self.place.name if self.place.access is Access.POD else f"host-{self.place.node}"
        return said(f"{host}\n")

    def _revive(self, argv):
        return said("")

    def _can_serve(self, argv):
        return said("")

    def _serves(self, address, turn=0):
        """The host name of who answers at an address, by turns where a Service has several."""
        places = list(self.places.values())
        ours = [one for one in places if "-server" in one.name and one.address == address]
        behind = self.backends.get(address, ())
        ours = ours or [one for one in places if one.address in behind]
        place = ours[turn % len(ours)]
        return place.name if place.access is Access.POD else f"host-{place.node}"

    def _conf(self, argv):
        output = captured("qperf-0.4.11", "conf")
        one = output.stdout[: output.stdout.index("conf:", 1)]
        texts = []
        for _ in range(argv.count("conf")):
            host = self._serves(argv[1], self.conf_asked)
            self.conf_asked += 1
            texts.append(one.replace("rem_node   =  vm", f"rem_node   =  {host}"))
        return said("".join(texts))

    def _qperf(self, argv):
        output = captured("qperf-0.4.11", argv[-2])
        host = f"rem_node   =  {self._serves(argv[1])}"
        return replace(output, stdout=output.stdout.replace("rem_node   =  vm", host))

    def _route(self, argv):
        """As a pod sees it, or a node whose pods are behind VXLAN."""
        return captured("iproute2-6.15", "vxlan" if argv[-1] else "route")

    @staticmethod
    def _connections(tool, argv):
        """How many the command makes to the backend."""
        if tool == "ab":
            return int(argv[argv.index("-c" if "-k" in argv else "-n") + 1])
        return argv.count("--max-time") * int(argv[3]) if tool == "curl" else 0

    def _ab(self, argv):
        return captured("ab-2.3", "keepalive" if "-k" in argv else "plain")

    def _curl(self, argv):
        """As many requests as are asked for, each answered by the next of those who may."""
        name = "phases" if re.search(r"http://[0-9.]+:", argv[-1]) else "phases-by-name"
        once = captured("curl-8.14.1", name).stdout.split("\n")
        asked = re.fullmatch(r"http://([^:]+):([0-9]+)/", argv[-1])
        runs = []
        for number in range(int(argv[3])):
            place = 2 * (number % 10)
            answer = json.loads(once[place + 1]) | self._answered_by(asked[1], int(asked[2]))
            told = json.dumps(answer)
            runs.append(f"{once[place].rsplit(' ', 1)[0]} {len(told)}\n{told}\n")
        return said("".join(runs) + "end\n")

    def _answered_by(self, host, port):
        """What a request's answer says of the server; a Service's replicas take turns."""
        found = [one for one in self.services.values() if host in (one.name, one.cluster_ip)]
        found += [one for one in self.services.values() if one.load_balancer == host]
        found += [one for one in self.services.values() if one.node_port == port]
        found += [self.services[one.service] for one in self.ingresses.values()]
        if not any("-server" in one for one in self.places):
            return {}
        address = found[0].cluster_ip if found else host
        server = self._serves(address, self.asked)
        self.asked += 1
        named = found and host == found[0].name
        return {"address": address if named else host, "server": server, "size": self.body_bytes}

    def _once(self, argv):
        return said("")

    def _until_answered(self, argv):
        return said("3 62000 end\n")

    def _until_silent(self, argv):
        """Its 62 ms are over by then; the last answer was another 20 ms before."""
        return replace(said("2 10000 30000 end\n"), seconds=0.062)

    def _probe(self, argv):
        return said(f"{self.backend}\nend\n")

    def _counters(self, argv):
        """With as many connections accepted as were made so far."""
        output = captured("proc-6.18", "counters-after")
        names, values = re.findall(r"^Tcp: .*$", output.stdout, re.MULTILINE)
        told = values.split()
        told[names.split().index("PassiveOpens")] = str(self.accepted)
        return replace(output, stdout=output.stdout.replace(values, " ".join(told)))

    def _forget(self, argv):
        return said("conntrack v1.4.8 (conntrack-tools): 2000 flow entries have been deleted.\n")

    def _change(self, argv):
        folder = "nft-1.1.3" if self.backend == "nftables" else f"{self.backend}-1.8.11"
        return captured(folder, "change")

    def _servers(self, argv):
        held = [(self.services[name].cluster_ip, port.number) for name, port in self._held()]
        lines = [f"-t {address}:{port}" for address, port in held]
        listed = ["-t 10.96.0.1:443", *lines, f"end {len(lines) + 2}"]
        if "KUBE-CLUSTER-IP" in argv:
            ips = list(dict.fromkeys(address for address, _ in held))
            # kube-proxy fills one set after the other, a look later each.
            slow, self.in_sets = self.in_sets, held
            listed += ["set KUBE-CLUSTER-IP", "10.96.0.1,tcp:443"]
            listed += [f"{address},tcp:{port}" for address, port in slow if (address, port) in held]
            listed += ["set KUBE-IPVS-IPS", "10.96.0.1", *ips, "end sets"]
        return said("\n".join([*listed, ""]))

    def _count(self, argv):
        return said("1810 end\n" if self.backend == "nftables" else "2407 2407 end\n")

    def _held(self):
        # The kernel follows the API server a little later.
        if self.lag:
            self.lag -= 1
            return []
        names = [name for name in self.order(self.services) if name.startswith("pm-")]
        return [(name, port) for name in names for port in self.services[name].ports]

    def _map(self, argv):
        held = self._held()
        return said(f"{len(held) + 1} {len(held)} end\n")

    def _chain(self, argv):
        """The first and the last of those whose names begin as the command says."""
        rules = self._held()
        held = [
            # Somebody else's rule follows the first one.
            (number + (number > 1), name, port.name)
            for number, (name, port) in enumerate(rules, 1)
            if f"podmeter/{name}".startswith(argv[-1])
        ]
        lines = [f"{len(rules) + 2} {len(held)}"]
        if held:
            rule = (
                '{} -A KUBE-SERVICES -m comment --comment "podmeter/{}:{} cluster IP" -j KUBE-SVC-A'
            )
            lines += [rule.format(*held[0]), rule.format(*held[-1])]
        return said("\n".join([*lines, "end", ""]))

    def _bundle(self, argv):
        """What the program prints of several commands."""
        inner = [
            list(group)
            for next_, group in itertools.groupby(argv[2:], lambda word: word == "::next::")
            if not next_
        ]
        parts = []
        for command in inner:
            output = self._answer(tuple(command))
            parts.append(f"ran {output.exit_code} {len(output.stdout.encode())}\n{output.stdout}\n")
        return said("".join(parts) + "end\n")
