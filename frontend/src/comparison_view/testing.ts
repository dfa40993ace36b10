import type { Comparison, Contender, Effect, Figure, Point, Schemas } from "~/api/types";
import { said } from "~/i18n/said";

/** Comparisons for tests, shaped as the API writes them. */
const RUN = "00000000-0000-4000-8000-000000000001";
const AT = "2026-11-21T10:00:00Z";

export const figure = (value: number, half = 0.05): Figure => ({
  value,
  low: value - half * Math.abs(value),
  high: value + half * Math.abs(value),
  confidence: 0.95,
});

const arm = (value: number): Schemas["Arm"] => ({
  n: 5,
  median: figure(value),
  values: [[value * 0.99, value, value * 1.01, value, value]],
});

export function effect(base: number, other: number, changes: Partial<Effect> = {}): Effect {
  return {
    metric: "requests_per_second",
    subject: "",
    unit: "1/s",
    direction: "higher",
    main: true,
    verdict: other > base ? "better" : "worse",
    reason: "clear_effect",
    baseline: arm(base),
    contender: arm(other),
    shift: figure(other - base),
    ratio: figure(other / base, 0.02),
    p: 0.008,
    least_p: 0.008,
    method: "exact",
    rounds: 1,
    round_shifts: [other - base],
    warnings: [],
    level: "trial",
    agreement_p: null,
    adjusted_p: null,
    looked_at: 1,
    advice: null,
    cost: false,
    ...changes,
  };
}

export function side(where: Point, name = "ladder"): Schemas["ComparedRun"] {
  return {
    run_id: RUN,
    name,
    label: name,
    where,
    case_id: null,
    clusters: ["testbed"],
    outcome: "succeeded",
    created_at: AT,
  };
}

let lastCase = 0;

export function caseAt(point: Point, status = "succeeded", reason?: string): Schemas["CaseRef"] {
  lastCase += 1;
  return {
    case_id: lastCase,
    key: JSON.stringify(point),
    point,
    status,
    reason: reason ? said(reason) : null,
  };
}

const NONE = { better: 0, worse: 0, same: 0, undecided: 0 };

export function contender(
  where: Point,
  pairs: Schemas["Pair"][],
  changes: Partial<Contender> = {},
): Contender {
  return {
    side: side(where),
    compared_axes: Object.keys(where),
    gate: { verdict: "comparable", differences: [] },
    tally: { ...NONE },
    tally_all: { ...NONE },
    pairs,
    unpaired_baseline: [],
    unpaired_contender: [],
    curves: [],
    ...changes,
  };
}

export function comparison(where: Point, contenders: Contender[]): Comparison {
  return {
    id: "00000000-0000-4000-8000-0000000000aa",
    created_at: AT,
    kind: "service_scale",
    metrics: "all",
    noise_threshold: 0.03,
    alpha: 0.05,
    method_version: 4,
    baseline: side(where),
    contenders,
    shared_host: false,
    services_by_cni: false,
  };
}

/** Cases of iptables over `services`, paired with those of another mode. */
export function ladder(services: number[], mode: string, pairOf: PairOf): Contender {
  return contender(
    { kube_proxy_mode: mode },
    services.flatMap((count) => {
      const found = pairOf(count);
      return found === null ? [] : [pairAt({ services: count }, mode, found)];
    }),
  );
}

type PairOf = (services: number) => Partial<Schemas["Pair"]> | null;

const BASELINES = new Map<string, Schemas["CaseRef"]>();

/** The baseline's case is the same one for every contender. */
export function pairAt(
  shared: Point,
  mode: string,
  changes: Partial<Schemas["Pair"]>,
): Schemas["Pair"] {
  const key = JSON.stringify(shared);
  const baseline = BASELINES.get(key) ?? caseAt({ ...shared, kube_proxy_mode: "iptables" });
  BASELINES.set(key, baseline);
  return {
    shared,
    baseline,
    contender: caseAt({ ...shared, kube_proxy_mode: mode }),
    comparability: "comparable",
    effects: [],
    ...changes,
  };
}
