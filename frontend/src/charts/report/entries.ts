import {
  effectsOf,
  figureOf,
  groupsOf,
  numberOf,
  type Row,
  textOf,
  type Warning,
  warningsOf,
} from "~/api/rows";
import type { Point, RunReport, Schemas } from "~/api/types";
import { parted } from "~/i18n/punctuation";
import { type Axes, type AxisFacts, inReadingOrder, varyingAxes } from "../layout/axes";
import { casesWithout, type Entry, SUBJECT } from "../layout/entry";
import { middle } from "../middle";
import type { PointState } from "../types";

type CaseFacts = Schemas["CaseFacts"];

/** A metric of several nodes has the node's role as one more axis. */
const SUBJECT_AXIS: AxisFacts = { name: SUBJECT, scope: "case", role: "apart" };

/**
 * Whether any trial of a report counted. Where all failed, that is all to be drawn: a reason says
 * more than bars of failed trials.
 */
export function hasCounted({ cases, summaries }: RunReport): boolean {
  return summaries.length > 0 && cases.some(({ counted }) => counted > 0);
}

/** The axes on which entries of a report differ; parts of a whole are on none. */
export function entryAxes(
  report: RunReport,
  entries: readonly Entry[],
  parts: readonly string[] = [],
): Axes {
  const axes = varyingAxes(
    entries.map(({ point }) => point),
    [...(report.axis_facts ?? []), SUBJECT_AXIS],
    axesOf(report),
  );
  return new Map([...axes].filter(([name]) => parts.length === 0 || name !== SUBJECT));
}

/** The axes of a report in the order in which a reader thinks of them. */
export function axesOf({ axes, axis_facts = [] }: RunReport): string[] {
  return inReadingOrder(Object.keys(axes), axis_facts);
}

/** How notes are put in the user's language. */
export interface Say {
  note: (note: Warning) => string;
  unmeasured: (facts: CaseFacts) => string;
}

/** The medians of a metric, and the cases that should have one and do not. */
export function metricEntries(report: RunReport, metric: string, say: Say): Entry[] {
  const medians = mediansOf(report, metric);
  const subjects = [...new Set(medians.map(({ key }) => key.subject))];
  const place = (point: Point, subject: string) =>
    subjects.length > 1 ? { ...point, [SUBJECT]: subject } : point;
  const measured = medians.map(
    (one): Entry => ({
      caseId: caseOf(one),
      point: place(one.key.point, one.key.subject),
      figure: figureOf(one),
      n: one.n ?? 0,
      trials: groupsOf(one, "values").flat(),
      state: one.value === null ? "missing" : "measured",
      note: notesOf(warningsOf(one), say),
    }),
  );
  const unmeasured = unmeasuredCases(report, metric).flatMap((facts) =>
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

/**
 * The same with the centres that the report's differences are computed from in place of medians;
 * null where a value has no centre, or several: then medians say more.
 */
export function centredEntries(
  report: RunReport,
  metric: string,
  medians: readonly Entry[],
): Entry[] | null {
  const centres = report.findings.flatMap(({ evidence }) =>
    evidence.kind === "rows"
      ? effectsOf(evidence.rows).flatMap(({ baseline, contender }) => [baseline, contender])
      : [],
  );
  const found = medians.map((entry): Entry | null => {
    if (entry.figure === null) return entry;
    const own = centres.filter(
      ({ centre }) =>
        centre?.key.metric === metric &&
        centre.key.subject === (entry.point[SUBJECT] ?? centre.key.subject) &&
        agrees(entry.point, centre.key.point),
    );
    const [first, ...more] = own.map(({ centre }) => centre as Row);
    if (first === undefined || more.some(({ value }) => value !== first.value)) return null;
    return { ...entry, figure: figureOf(first) };
  });
  return found.every((entry) => entry !== null) ? found : null;
}

/** Whether a point is that of a case; a subject is no axis of a case. */
function agrees({ [SUBJECT]: _, ...point }: Point, ofCase: Point): boolean {
  return samePoint(point, ofCase);
}

/** The losses of a derived metric; the cases that its source has no value of stay visible. */
export function lossEntries(report: RunReport, metric: string, say: Say): Entry[] {
  const rows = report.losses.filter(({ key }) => key.metric === metric);
  const losses = rows.filter(({ code }) => code === "loss");
  const [first] = losses;
  if (first === undefined) return [];
  const axis = derivedAlong(first);
  const baseline = axis === undefined ? undefined : first.key.against?.[axis];
  const known = losses.map((one): Entry => {
    const { key, verdict, n } = one;
    const difference = rows.find(
      (row) =>
        row.code === "difference" &&
        row.key.subject === key.subject &&
        samePoint(row.key.point, key.point),
    );
    return {
      caseId: report.cases.find(({ point }) => samePoint(point, key.point))?.case_id ?? 0,
      point: key.point,
      figure: figureOf(one),
      difference: difference === undefined ? null : figureOf(difference),
      clear: verdict !== null && verdict !== "undecided",
      n: n ?? 0,
      trials: lostIn(report, one),
      state: one.value === null ? "missing" : "measured",
      note: notesOf(warningsOf(one), say),
    };
  });
  const unmeasured = metricEntries(report, textOf(first, "source"), say).filter(
    ({ point, state }) => state !== "measured" && (axis === undefined || point[axis] !== baseline),
  );
  return [...known, ...unmeasured];
}

/** What each trial lost against the median of the baseline's trials in the same round. */
function lostIn(report: RunReport, one: Row): number[] {
  const { key } = one;
  const medians = mediansOf(report, textOf(one, "source"));
  const roundsAt = (point: Point | null | undefined) => {
    const found = medians.find(
      (median) => median.key.subject === key.subject && samePoint(median.key.point, point ?? {}),
    );
    return found === undefined ? [] : groupsOf(found, "values");
  };
  const baseline = roundsAt(key.against);
  const lower = textOf(one, "source_direction") === "lower";
  return roundsAt(key.point).flatMap((values, round) => {
    const before = middle(baseline[round] ?? []);
    if (before === null || before <= 0) return [];
    return values.map((value) => (lower ? value / before - 1 : 1 - value / before));
  });
}

/** The medians of a metric. */
function mediansOf({ summaries }: RunReport, metric: string): Row[] {
  return summaries.filter(({ code, key }) => code === "median" && key.metric === metric);
}

/** The case that a summary is of. */
export function caseOf(median: Row): number {
  return numberOf(median, "case_id") ?? 0;
}

function samePoint(one: Point, other: Point): boolean {
  const axes = Object.keys(one);
  return (
    axes.length === Object.keys(other).length && axes.every((axis) => one[axis] === other[axis])
  );
}

/** That there is no interval is seen, and of quantiles nothing is drawn. */
const SEEN = ["too_few_trials", "quantile_beyond_trials"];

function notesOf(warnings: readonly Warning[], say: Say): string | undefined {
  const told = warnings.filter(({ code }) => !SEEN.includes(code)).map(say.note);
  return told.length > 0 ? parted(told) : undefined;
}

/** The axis on which a loss's baseline differs from it. */
export function derivedAlong({ key }: Row): string | undefined {
  return Object.keys(key.point).find((axis) => key.point[axis] !== key.against?.[axis]);
}

/** Cases that have no counted trial and should have the metric. */
function unmeasuredCases(report: RunReport, metric: string): CaseFacts[] {
  const having = new Set(mediansOf(report, metric).map(caseOf));
  return casesWithout(
    report.cases.map((facts) => ({
      facts,
      point: facts.point,
      has: having.has(facts.case_id),
      counted: facts.counted > 0,
    })),
  ).map(({ facts }) => facts);
}

function stateOf({ status }: CaseFacts): PointState {
  if (status === "skipped") return "skipped";
  return status === "pending" || status === "running" ? "missing" : "failed";
}
