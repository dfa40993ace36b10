import type { AxisValue, Figure, Loss, Point, RunReport, Schemas } from "~/api/types";
import type { PointState } from "../types";

type CaseFacts = Schemas["CaseFacts"];
type Note = Schemas["Note"];

/** One value at one point of the matrix, or why there is none. */
export interface Entry {
  caseId: number;
  /** A metric of several nodes has the node's role as one more axis, `subject`. */
  point: Point;
  figure: Figure | null;
  n: number;
  trials?: readonly number[];
  state: PointState;
  note?: string;
}

/** How notes are put in the user's language. */
export interface Say {
  note: (note: Note) => string;
  unmeasured: (facts: CaseFacts) => string;
}

/** The medians of a metric, and the cases that should have one and do not. */
export function metricEntries(report: RunReport, metric: string, say: Say): Entry[] {
  const summaries = report.summaries.filter((one) => one.metric === metric);
  const subjects = [...new Set(summaries.map((one) => one.subject))];
  const place = (point: Point, subject: string) =>
    subjects.length > 1 ? { ...point, subject } : point;
  const measured = summaries.map(
    ({ case_id, point, subject, median, n, trials, warnings }): Entry => ({
      caseId: case_id,
      point: place(point, subject),
      figure: median,
      n,
      trials: trials.map(({ value }) => value),
      state: median === null ? "missing" : "measured",
      note: notesOf(warnings, say),
    }),
  );
  const unmeasured = casesWithout(report, metric).flatMap((facts) =>
    subjects.map(
      (subject): Entry => ({
        caseId: facts.case_id,
        point: place(facts.point, subject),
        figure: null,
        n: 0,
        state: stateOf(facts),
        note: say.unmeasured(facts),
      }),
    ),
  );
  return [...measured, ...unmeasured];
}

/** The losses of a derived metric; the cases that its source has no value of stay visible. */
export function lossEntries(report: RunReport, metric: string, say: Say): Entry[] {
  const losses = report.losses.filter((one) => one.metric === metric);
  const [first] = losses;
  if (first === undefined) return [];
  const axis = derivedAlong(first);
  const baseline = axis === undefined ? undefined : first.baseline_point[axis];
  const known = losses.map(
    ({ case_id, point, loss, n, warnings }): Entry => ({
      caseId: case_id,
      point,
      figure: loss,
      n,
      state: loss === null ? "missing" : "measured",
      note: notesOf(warnings, say),
    }),
  );
  const unmeasured = metricEntries(report, first.source, say).filter(
    ({ point, state }) => state !== "measured" && (axis === undefined || point[axis] !== baseline),
  );
  return [...known, ...unmeasured];
}

/** That there is no interval is seen, and of quantiles nothing is drawn. */
const SEEN = ["too_few_trials", "quantile_beyond_trials"];

function notesOf(warnings: readonly Note[], say: Say): string | undefined {
  const told = warnings.filter(({ code }) => !SEEN.includes(code)).map(say.note);
  return told.length > 0 ? told.join("; ") : undefined;
}

/** The axis on which a loss's baseline differs from it. */
export function derivedAlong(loss: Loss): string | undefined {
  return Object.keys(loss.point).find((axis) => loss.point[axis] !== loss.baseline_point[axis]);
}

/**
 * Cases that have no counted trial and whose neighbours have the metric.
 *
 * A case is a neighbour's if it has the same axes, and on each of them a value of which some
 * case has the metric. A value of which nothing at all was counted is given the benefit of the
 * doubt, unless the axis is one that decides whether there is such a metric.
 */
function casesWithout(report: RunReport, metric: string): CaseFacts[] {
  const having = new Set(
    report.summaries.filter((one) => one.metric === metric).map((one) => one.case_id),
  );
  const counted = report.cases.filter((facts) => facts.counted > 0);
  const shapes = new Set<string>();
  const withMetric = new Map<string, Set<AxisValue>>();
  const withAny = new Map<string, Set<AxisValue>>();
  for (const facts of counted) {
    const has = having.has(facts.case_id);
    if (has) shapes.add(shapeOf(facts.point));
    for (const [axis, value] of Object.entries(facts.point)) {
      add(withAny, axis, value);
      if (has) add(withMetric, axis, value);
    }
  }
  const fits = ([axis, value]: [string, AxisValue]) => {
    const yes = withMetric.get(axis) ?? new Set();
    if (yes.has(value)) return true;
    const any = withAny.get(axis) ?? new Set();
    return !any.has(value) && any.size === yes.size;
  };
  return report.cases.filter(
    (facts) =>
      facts.counted === 0 &&
      shapes.has(shapeOf(facts.point)) &&
      Object.entries(facts.point).every(fits),
  );
}

function stateOf({ status }: CaseFacts): PointState {
  if (status === "skipped") return "skipped";
  return status === "pending" || status === "running" ? "missing" : "failed";
}

const shapeOf = (point: Point) => Object.keys(point).toSorted().join(" ");

function add(map: Map<string, Set<AxisValue>>, axis: string, value: AxisValue): void {
  const values = map.get(axis) ?? new Set();
  values.add(value);
  map.set(axis, values);
}
