import type { Row } from "../src/api/rows";
import type { Comparison, Schemas } from "../src/api/types";

/** Data of a size that no quick run makes, in the API's shapes; for measuring the browser alone. */
const MOMENT = "2026-01-01T00:00:00Z";
const RUN = "00000000-0000-4000-8000-000000000001";

/** A comparison of `cases` pairs with `trials` trials a side. */
export function largeComparison(cases: number, trials: number): Comparison {
  const side = (mode: string) => ({
    run_id: RUN,
    name: "Large",
    label: mode,
    where: { kube_proxy_mode: mode },
    case_id: null,
    clusters: ["testbed"],
    outcome: "succeeded",
    created_at: MOMENT,
    imported: false,
  });
  const counts = { better: 0, worse: cases, same: 0, undecided: 0 };
  const pairs = Array.from({ length: cases }, (_, number) => {
    const shared = { services: (number + 1) * 100, target: number % 2 === 0 ? "first" : "last" };
    const one = (mode: string, id: number) => ({
      case_id: id,
      key: `case-${id}`,
      point: { ...shared, kube_proxy_mode: mode },
      status: "succeeded",
      reason: null,
    });
    return {
      shared,
      baseline: one("nftables", number + 1),
      contender: one("iptables", number + 1001),
      comparability: "comparable",
      effects: effects(trials, number),
    };
  });
  return {
    id: "00000000-0000-4000-8000-000000000002",
    created_at: MOMENT,
    kind: "service_scale",
    metrics: "main",
    noise_threshold: 0.03,
    alpha: 0.05,
    method_version: 2,
    shared_host: false,
    services_by_cni: false,
    baseline: side("nftables"),
    contenders: [
      {
        side: side("iptables"),
        compared_axes: ["kube_proxy_mode"],
        gate: { verdict: "comparable", differences: [] },
        tally: counts,
        tally_all: counts,
        pairs,
        unpaired_baseline: [],
        unpaired_contender: [],
        curves: [],
      },
    ],
  };
}

/** What a case of `service_scale` gives: two main metrics, and the costs on both nodes. */
const METRICS: [metric: string, subject: string, unit: string, size: number][] = [
  ["requests_per_second", "", "1/s", 20_000],
  ["ab_request_mean", "", "s", 0.01],
  ["node_cpu", "client", "ratio", 0.7],
  ["node_cpu", "server", "ratio", 0.4],
  ["node_memory", "client", "bytes", 4e9],
  ["node_memory", "server", "bytes", 3e9],
];

function effects(trials: number, number: number): Row[] {
  return METRICS.flatMap(([metric, subject, unit, size], place) => {
    const key = { metric, subject, unit, direction: place === 0 ? "higher" : "lower", point: {} };
    const row = (code: string, value: number, parameters: Row["parameters"]): Row => ({
      key: code === "ratio" ? { ...key, unit: "ratio" } : key,
      ...figure(value),
      n: trials,
      verdict: code !== "ratio" ? null : place === 0 ? "worse" : "better",
      code,
      parameters,
    });
    const change = -0.015 * number;
    const tested = { p: 0.001, least_p: 0.0001, agreement_p: 0.03, adjusted_p: 0.002 };
    const decided = { method: "van_elteren", rounds: 1, round_shifts: [size * change] };
    const told = { reason: "", main: place < 2, level: "block", looked_at: 50, warnings: [] };
    const sides: [string, number][] = [
      ["baseline", size],
      ["contender", size * (1 + change)],
    ];
    return [
      row("ratio", 1 + change, { ...told, ...decided, ...tested }),
      row("shift", size * change, {}),
      ...sides.map(([side, centre]) =>
        row("median", centre, {
          side,
          values: [Array.from({ length: trials }, (_, trial) => centre * (1 + trial / 1000))],
        }),
      ),
    ];
  });
}

function figure(value: number) {
  return { value, low: value * 0.98, high: value * 1.02 };
}

/** The trial with a first series of so many points, a spike in the middle. */
export function largeTrial(trial: Record<string, unknown>, points: number) {
  const values = Array.from({ length: points }, (_, index) => 1e9 + 1e8 * Math.sin(index / 50));
  values[Math.floor(points / 2)] = 5e9;
  const series: Schemas["SeriesView"] = {
    metric: "throughput_sent",
    subject: "",
    unit: "bit/s",
    direction: "higher",
    offsets: values.map((_, index) => index / 10),
    values,
  };
  return { ...trial, series: [series] };
}
