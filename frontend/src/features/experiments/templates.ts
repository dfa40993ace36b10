import type { AxisValue, Schemas } from "~/api/types";
import type { PlainSpec } from "./spec_text";

/** A specification to start from; its title and what it answers are in the translations. */
type ReadyMade = Omit<PlainSpec, "name" | "description">;

/** Experiments that published articles made, each with what its questions need and no more. */
export const READY_MADE = {
  vxlan_vs_host_gw: {
    kind: "throughput",
    axes: {
      encapsulation: ["host-gw", "vxlan"],
      path: ["node-node", "pod-pod", "pod-pod-same-node", "pod-service-pod"],
      protocol: ["tcp"],
      streams: [1],
    },
    repetition: { profile: "quick" },
  },
  six_paths: {
    kind: "throughput",
    axes: {
      path: [
        "node-node",
        "pod-pod",
        "pod-pod-same-node",
        "node-pod",
        "pod-node",
        "pod-service-pod",
      ],
      protocol: ["tcp", "udp"],
      streams: [1, 8],
    },
    repetition: { profile: "quick" },
  },
  three_paths_by_qperf: {
    kind: "transport",
    axes: {
      path: ["node-node", "pod-pod", "pod-service-pod"],
      qperf_test: ["tcp_bw", "tcp_lat", "udp_bw", "udp_lat", "conf"],
    },
    repetition: { profile: "quick" },
  },
  latency_by_path: {
    kind: "request_latency",
    axes: {
      path: ["pod-pod", "node-pod", "node-service", "pod-service-pod", "pod-service-name"],
    },
    parameters: { requests: 10, replicas: 3, first_counts: true },
    repetition: { profile: "quick" },
  },
  iptables_vs_nftables: {
    kind: "service_scale",
    axes: {
      kube_proxy_mode: ["iptables", "nftables"],
      services: [10, 1000, 5000, 10_000],
      target: ["first", "last", "pod"],
      probe: ["climb", "qps", "latency"],
    },
    repetition: { profile: "quick" },
  },
  iptables_vs_ipvs: {
    kind: "service_scale",
    axes: {
      kube_proxy_mode: ["iptables", "ipvs"],
      service_type: ["NodePort"],
      services: [10, 500, 1000, 2000],
      target: ["first", "last", "pod"],
      probe: ["climb", "qps", "latency", "rule-change"],
    },
    repetition: { profile: "quick" },
  },
  services_as_they_stand: {
    kind: "service_scale",
    axes: {
      services: [10, 500, 1000, 2000],
      target: ["first", "last", "pod"],
      probe: ["climb", "qps", "service-ready"],
    },
    repetition: { profile: "quick" },
  },
  policies_and_sizes: {
    kind: "network_policy",
    axes: {
      policies: [0, 50, 200],
      response_size: ["0.5k", "100k"],
      keep_alive: ["off", "on"],
    },
    // Six rounds decide; what a rung is set up to varies more than its trials.
    repetition: { profile: "quick", trials: 1, warmup: 0 },
  },
} as const satisfies Record<string, ReadyMade>;

export type ReadyMadeName = keyof typeof READY_MADE;

export const READY_MADE_NAMES = Object.keys(READY_MADE) as ReadyMadeName[];

/** The template that leaves everything to the author. */
export const BLANK = "blank";

export function isReadyMade(name: string): name is ReadyMadeName {
  return name in READY_MADE;
}

/** A kind with all its axes at what stands where nothing is given. */
export function wholeKind(kind: Schemas["KindView"], name: string): PlainSpec {
  const axes: Record<string, AxisValue[]> = {};
  for (const axis of kind.axes) if (axis.default?.length) axes[axis.name] = axis.default;
  return { name, kind: kind.name, axes, repetition: { profile: "quick" } };
}

/** What a kind is about: the metrics that have a better direction, at most `most` of them. */
export function mainMetrics(kind: Schemas["KindView"], most = 4): Schemas["MetricDefinition"][] {
  return kind.metrics.filter((metric) => metric.direction !== "none").slice(0, most);
}
