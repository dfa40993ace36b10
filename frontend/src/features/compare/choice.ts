import { ProblemError } from "~/api/problem";
import type { AxisValue, Schemas } from "~/api/types";
import { parted } from "~/i18n/punctuation";
import { type CompareSearch, MOST_CONTENDERS, type SideChoice } from "./search";

type Case = Schemas["CaseView"];

/** What the API takes where nothing is said (`NewComparison` of its document). */
export const DEFAULTS = { metrics: "main", noise: 0.03, alpha: 0.05 } as const;

/** An axis with the values that a run has on it. */
export interface AxisValues {
  axis: string;
  values: AxisValue[];
}

/** What to ask the API for; null while a side is missing. */
export function bodyOf(search: CompareSearch): Schemas["NewComparison"] | null {
  const { reference, contenders = [] } = search;
  const baseline = reference
    ? { reference_id: reference.id, where: reference.where ?? {} }
    : search.baseline && sideBody(search.baseline);
  if (baseline === undefined || contenders.length === 0) return null;
  return {
    baseline,
    contenders: contenders.map(sideBody),
    metrics: search.metrics ?? DEFAULTS.metrics,
    noise_threshold: search.noise ?? DEFAULTS.noise,
    alpha: search.alpha ?? DEFAULTS.alpha,
  };
}

function sideBody({ run, where, case: caseId }: SideChoice): Schemas["SideBody"] {
  return caseId === undefined
    ? { run_id: run, where: where ?? {} }
    : { run_id: run, case_id: caseId, where: {} };
}

/** What to choose for a comparison of the same sides as one that was made. */
export function choiceOf(made: Schemas["Comparison"]): CompareSearch {
  const { baseline, contenders, metrics, noise_threshold, alpha } = made;
  const first = baseline.reference_id
    ? { reference: { id: baseline.reference_id, where: baseline.where } }
    : { baseline: sideOf(baseline) };
  return {
    ...first,
    contenders: contenders.flatMap(({ side }) => sideOf(side) ?? []),
    metrics: metrics === "all" ? "all" : "main",
    noise: noise_threshold,
    alpha,
  };
}

function sideOf(side: Schemas["ComparedRun"]): SideChoice | undefined {
  const { run_id, where, case_id } = side;
  if (run_id === null) return undefined;
  return case_id === null ? { run: run_id, where } : { run: run_id, case: case_id };
}

/** A run against itself: the first value of an axis is the baseline of all others. */
export function alongAxis(run: string, { axis, values }: AxisValues): CompareSearch {
  const [first, ...others] = values.map((value) => ({ run, where: { [axis]: value } }));
  return { baseline: first, contenders: others.slice(0, MOST_CONTENDERS) };
}

/** The axes on which cases differ. */
export function axesOf(cases: readonly Pick<Case, "point">[]): AxisValues[] {
  const found = new Map<string, Set<AxisValue>>();
  for (const { point } of cases) {
    for (const [axis, value] of Object.entries(point)) {
      found.set(axis, (found.get(axis) ?? new Set()).add(value));
    }
  }
  return [...found]
    .filter(([, values]) => values.size > 1)
    .map(([axis, values]) => ({ axis, values: [...values] }));
}

/** The cases of a side that lie on what it picks. */
export function casesOn(cases: readonly Case[], where: SideChoice["where"] = {}): Case[] {
  return cases.filter(({ point }) =>
    Object.entries(where).every(([axis, value]) => point[axis] === value),
  );
}

/** The cluster modes, and clusters, that a run was measured in more than one of. */
export function modesOf(run: Schemas["RunDetail"]): AxisValues[] {
  return run.spec.axes
    .filter(({ scope, values }) => scope !== "case" && values.length > 1)
    .map(({ name, values }) => ({ axis: name, values: values as AxisValue[] }));
}

/** What the API said of the form's fields, by JSON pointer; `pointers` are all that it shows. */
export function faultsOf(error: Error | null, sides: number) {
  const pointers = ["/metrics", "/noise_threshold", "/alpha"];
  for (const side of [
    "/baseline",
    ...Array.from({ length: sides }, (_, i) => `/contenders/${i}`),
  ]) {
    pointers.push(
      side,
      `${side}/run_id`,
      `${side}/reference_id`,
      `${side}/case_id`,
      `${side}/where`,
    );
  }
  const faults = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  const at = (...where: string[]) => {
    const found = faults.filter(({ pointer }) => pointer != null && where.includes(pointer));
    return found.length === 0 ? undefined : parted(found.map(({ message }) => message.text));
  };
  return { at, pointers };
}
