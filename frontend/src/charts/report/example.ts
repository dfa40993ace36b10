import { holds, type Row } from "~/api/rows";
import type { Point, RunReport, Schemas } from "~/api/types";
import { MODE_AXES } from "../hues";

/** Reports for tests, made as the API makes them: a matrix and what became of each case. */
export interface Outcome {
  point: Point;
  /** Median by metric; nothing for a case without counted trials. */
  values?: Record<string, number>;
  status?: string;
  reason?: Schemas["Message"];
  subject?: string;
}

const ROLES: Record<string, Schemas["AxisRole"]> = {
  services: "curve",
  streams: "curve",
  probe: "apart",
  protocol: "apart",
};
const UNITS: Record<string, string> = {
  throughput: "bit/s",
  requests_per_second: "1/s",
  node_cpu: "ratio",
};

export function reportOf(outcomes: readonly Outcome[]): RunReport {
  const names = [...new Set(outcomes.flatMap(({ values }) => Object.keys(values ?? {})))];
  const cases = new Map<string, Schemas["CaseFacts"]>();
  const summaries: Row[] = [];
  for (const { point, values, status, reason, subject = "" } of outcomes) {
    const key = JSON.stringify(point);
    const counted = values === undefined ? 0 : 7;
    const known = cases.get(key) ?? {
      case_id: cases.size + 1,
      key,
      point,
      status: status ?? (counted > 0 ? "succeeded" : "failed"),
      reason: reason ?? null,
      counted,
      warmup: 1,
      void: 0,
      failed: 0,
      failures: [],
    };
    cases.set(key, known);
    for (const [metric, value] of Object.entries(values ?? {})) {
      summaries.push(...summaryOf(known, metric, subject, value));
    }
  }
  const axes: RunReport["axes"] = {};
  for (const { point } of outcomes) {
    for (const [axis, value] of Object.entries(point)) {
      const some = axes[axis] ?? [];
      axes[axis] = some.includes(value) ? some : [...some, value];
    }
  }
  return {
    run: {
      run_id: "0",
      name: "example",
      kind: "throughput",
      state: "finished",
      outcome: "succeeded",
      reason: null,
      attempt: 1,
      clusters: ["one"],
      created_at: "2026-01-01T00:00:00Z",
      started_at: null,
      finished_at: null,
    },
    parameters: {},
    repetition: {},
    axes,
    axis_facts: Object.keys(axes).map((name) => ({
      name,
      scope: MODE_AXES.includes(name) ? "cluster_mode" : "case",
      role: ROLES[name] ?? "series",
    })),
    metrics: names.map((name) => ({
      name,
      unit: UNITS[name] ?? "s",
      direction: "higher",
      description: "",
      main: summaries.some((one) => one.key.metric === name && holds(one, "main")),
    })),
    cases: [...cases.values()],
    summaries,
    losses: [],
    overhead: [],
    findings: [],
    shared_host: false,
    services_by_cni: false,
    one_assignment: [],
    warnings: [],
  };
}

/** A summary's rows: of seven trials in one round, whose values are not given. */
function summaryOf(
  { case_id, point }: Schemas["CaseFacts"],
  metric: string,
  subject: string,
  value: number,
): Row[] {
  const key = { metric, subject, unit: UNITS[metric] ?? "s", direction: "higher", point };
  const figure = { value, low: value * 0.98, high: value * 1.02 };
  const row = { key, ...figure, n: 7, verdict: null };
  const spread = { minimum: value, maximum: value, standard_deviation: 0, quantiles: [] };
  const told = { case_id, main: metric !== "node_cpu", rounds: 1, values: [], warnings: [] };
  return [
    { ...row, code: "median", parameters: { ...told, ...spread } },
    { ...row, code: "mean", parameters: { case_id } },
  ];
}

/** A loss of throughput against the node's own path. */
export function lossRow(
  point: Point,
  figure: Pick<Row, "value" | "low" | "high"> & Partial<Pick<Row, "verdict">>,
): Row {
  const against = { ...point, path: "node-node" };
  const key = { metric: "throughput_loss", subject: "", unit: "ratio", direction: "lower" };
  const parameters = { source: "throughput", source_direction: "higher", n_against: 7 };
  return {
    key: { ...key, point, against },
    n: 7,
    verdict: null,
    code: "loss",
    parameters,
    ...figure,
  };
}

/** Every combination of the axes' values. */
export function matrix(axes: Record<string, (string | number)[]>): Point[] {
  return Object.entries(axes).reduce<Point[]>(
    (points, [axis, values]) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [axis]: value }))),
    [{}],
  );
}
