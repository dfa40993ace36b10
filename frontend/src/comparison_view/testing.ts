import type { Row } from "~/api/rows";
import type { Comparison, Contender, Figure, Point, Schemas } from "~/api/types";
import { textMessage } from "~/i18n/text_message";

/** Comparisons for tests, shaped as the API writes them. */
const RUN = "00000000-0000-4000-8000-000000000001";
const AT = "2026-11-21T10:00:00Z";

const figure = (value: number, half = 0.05): Figure => ({
  value,
  low: value - half * Math.abs(value),
  high: value + half * Math.abs(value),
  confidence: 0.95,
});

const VALUES = [0.99, 1, 1.01, 1, 1];

/** What differs from an ordinary effect: its verdict, key, figures and parameters by their names. */
interface Changes {
  verdict?: string;
  key?: Partial<Row["key"]>;
  ratio?: Figure | null;
  parameters?: Row["parameters"];
  /** Both sides' trials by round, the baseline's first. */
  values?: number[][][];
  /** Both sides' centres; without them the medians stand for them. */
  centres?: number[];
}

/** The rows of an effect. */
export function effect(base: number, other: number, changes: Changes = {}): Row[] {
  const verdict = changes.verdict ?? (other > base ? "better" : "worse");
  const sides = [
    ["baseline", base],
    ["contender", other],
  ] as const;
  const key = {
    metric: "requests_per_second",
    subject: "",
    unit: "1/s",
    direction: "higher",
    point: {},
    ...changes.key,
  };
  const row = (code: string, found: Figure | null, parameters: Row["parameters"] = {}): Row => ({
    key: code === "ratio" ? { ...key, unit: "ratio" } : key,
    value: found?.value ?? null,
    low: found?.low ?? null,
    high: found?.high ?? null,
    n: (changes.values?.[0] ?? [VALUES]).flat().length,
    verdict: code === "ratio" ? verdict : null,
    code,
    parameters,
  });
  const tested = { p: 0.008, least_p: 0.008, method: "exact", level: "trial", rounds: 1 };
  const parameters = { main: true, reason: "clear_effect", warnings: [], ...tested };
  const ratio = changes.ratio === undefined ? figure(other / base, 0.02) : changes.ratio;
  return [
    row("ratio", ratio, { ...parameters, ...changes.parameters }),
    row("shift", figure(other - base)),
    ...sides.map(([side, value], place) =>
      row("median", figure(value), {
        side,
        values: changes.values?.[place] ?? [VALUES.map((one) => one * value)],
      }),
    ),
    ...sides.flatMap(([side], place) => {
      const centre = changes.centres?.[place];
      return centre === undefined ? [] : [row("centre", figure(centre), { side })];
    }),
  ];
}

function side(where: Point, name = "ladder"): Schemas["ComparedRun"] {
  return {
    run_id: RUN,
    name,
    label: name,
    where,
    case_id: null,
    clusters: ["testbed"],
    outcome: "succeeded",
    created_at: AT,
    imported: false,
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
    reason: reason ? textMessage(reason) : null,
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
    one_assignment: [],
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

type PairOf = (services: number) => PairChanges | null;
type PairChanges = Partial<Omit<Schemas["Pair"], "effects">> & { effects?: Row[][] };

const BASELINES = new Map<string, Schemas["CaseRef"]>();

/** The baseline's case is the same one for every contender. */
export function pairAt(
  shared: Point,
  mode: string,
  { effects = [], ...changes }: PairChanges,
): Schemas["Pair"] {
  const key = JSON.stringify(shared);
  const baseline = BASELINES.get(key) ?? caseAt({ ...shared, kube_proxy_mode: "iptables" });
  BASELINES.set(key, baseline);
  return {
    shared,
    baseline,
    contender: caseAt({ ...shared, kube_proxy_mode: mode }),
    comparability: "comparable",
    effects: effects.flat(),
    ...changes,
  };
}
