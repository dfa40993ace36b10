import type { Point, Schemas } from "./types";

type Headline = Schemas["Headline"] | null | undefined;
type Form = Record<string, unknown>;

/**
 * The case that a single chart should show: that of the first sentence, in full where some advice
 * rests on it. Without one, the first that advice rests on.
 */
export function caseOf(headline: Headline): Point | undefined {
  const advised = (headline?.recommendation ?? []).flatMap(({ cases }) => cases as Point[]);
  const stated = statedBy(headline)?.point;
  if (stated === undefined) return advised[0];
  return advised.find((point) => agree(point, stated)) ?? stated;
}

/** The metric of the first sentence, as a chart's view names it; nothing where it has none. */
export function metricOf(headline: Headline): { metric?: string; subject?: string } {
  return statedBy(headline)?.of ?? {};
}

/** Whether two points have the same value on each axis that both have. */
export function agree(one: Point, other: Point): boolean {
  return Object.entries(one).every(([axis, value]) => (other[axis] ?? value) === value);
}

/** What the first sentence is about; of a loss that is the path that loses. */
function statedBy(headline: Headline) {
  const { what, path, metric } = headline?.sentences[0]?.parameters ?? {};
  const stated = formOf(what, "what") ?? formOf(formOf(what, "in_cases")?.what, "what");
  if (stated !== undefined) return { point: pointOf(stated.point), of: nameOf(stated) };
  const lost = formOf(path, "path");
  if (lost === undefined) return undefined;
  const point = { ...pointOf(lost.besides), ...pointOf(lost.along) };
  return { point, of: nameOf(formOf(metric, "metric")) };
}

function formOf(part: unknown, form: string): Form | undefined {
  const known = typeof part === "object" && part !== null && !Array.isArray(part);
  return known && (part as Form).form === form ? (part as Form) : undefined;
}

const pointOf = (part: unknown) => (part ?? {}) as Point;

function nameOf(form: Form | undefined): { metric?: string; subject?: string } {
  if (typeof form?.metric !== "string") return {};
  const { metric, subject } = form;
  return typeof subject === "string" && subject !== "" ? { metric, subject } : { metric };
}
