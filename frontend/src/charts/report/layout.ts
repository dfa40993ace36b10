import type { AxisValue } from "~/api/types";
import type { ChartView } from "../view";
import type { Entry } from "./entries";

/** Where each axis goes: along x, telling curves or bars apart, or splitting into charts. */
export interface Layout {
  x: string | null;
  series: string[];
  facets: string[];
  /** Whether x is a ladder of numbers: curves; else bars. */
  numeric: boolean;
}

/** The axes on which entries differ, with their values; a point may lack an axis. */
export type Axes = ReadonlyMap<string, (AxisValue | undefined)[]>;

/** As a view's facet: no splitting at all. */
export const NO_FACET = "none";

/** What changes the whole cluster is what a reader compares. */
const MODES = ["cluster", "encapsulation", "kube_proxy_mode"];
/** What changes what is measured keeps charts apart. */
const APART = ["subject", "probe", "protocol", "service_type", "client"];
/** More curves than this in one chart are told apart by nobody. */
const MOST_SERIES = 8;
/** From so many values on, numbers are a ladder to climb. */
const LADDER = 3;

/** The axes in the order in which a reader thinks of them: what changes the whole cluster first. */
export function inReadingOrder(axes: readonly string[]): string[] {
  const rank = (axis: string) => (MODES.includes(axis) ? 0 : 1);
  return axes.toSorted((one, other) => rank(one) - rank(other));
}

/** Varying axes in `order`, then as they are met; numbers ascend. */
export function varyingAxes(entries: readonly Entry[], order: readonly string[]): Axes {
  const names = new Set([...order, ...entries.flatMap(({ point }) => Object.keys(point))]);
  const found = new Map<string, (AxisValue | undefined)[]>();
  for (const axis of names) {
    const values = [...new Set(entries.map(({ point }) => point[axis]))];
    if (values.length < 2) continue;
    found.set(axis, isNumeric(values) ? values.toSorted(byNumber) : values);
  }
  return found;
}

/** The layout that a view asks for; what it leaves open, or asks in vain, is chosen. */
export function layoutOf(axes: Axes, view: ChartView): Layout {
  const x = view.x !== undefined && axes.has(view.x) ? view.x : bestX(axes);
  const rest = [...axes.keys()].filter((axis) => axis !== x);
  const facets = wantedFacets(rest, view);
  let series = rest.filter((axis) => !facets.includes(axis));
  const asked = view.series?.filter((axis) => series.includes(axis));
  if (asked !== undefined && asked.length > 0) {
    facets.push(...series.filter((axis) => !asked.includes(axis)));
    series = asked;
  } else if (view.facet !== NO_FACET) {
    const many = () => series.reduce((all, axis) => all * (axes.get(axis)?.length ?? 1), 1);
    while (many() > MOST_SERIES) {
      const widest = widestOf(axes, series);
      if (widest === null) break;
      facets.push(widest);
      series = series.filter((axis) => axis !== widest);
    }
  }
  return { x, series, facets, numeric: x !== null && isNumeric(axes.get(x) ?? []) };
}

function wantedFacets(rest: readonly string[], view: ChartView): string[] {
  if (view.facet === NO_FACET) return [];
  if (view.facet !== undefined && rest.includes(view.facet)) return [view.facet];
  const apart = APART.find((axis) => rest.includes(axis) && !view.series?.includes(axis));
  return apart === undefined ? [] : [apart];
}

function bestX(axes: Axes): string | null {
  const by = (fits: (axis: string, values: readonly unknown[]) => boolean) =>
    [...axes]
      .filter(([axis, values]) => fits(axis, values))
      .toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0];
  return (
    by((_, values) => isNumeric(values) && values.length >= LADDER) ??
    by((axis, values) => !isNumeric(values) && !MODES.includes(axis) && !APART.includes(axis)) ??
    by((_, values) => isNumeric(values)) ??
    by((axis) => !APART.includes(axis)) ??
    by(() => true) ??
    null
  );
}

/** The axis with most values that is no mode of the cluster. */
function widestOf(axes: Axes, among: readonly string[]): string | null {
  const free = among.filter((axis) => !MODES.includes(axis));
  return (
    free.toSorted(
      (one, other) => (axes.get(other)?.length ?? 0) - (axes.get(one)?.length ?? 0),
    )[0] ?? null
  );
}

export function isNumeric(values: readonly unknown[]): boolean {
  return values.length > 0 && values.every((value) => typeof value === "number");
}

const byNumber = (one: unknown, other: unknown) => Number(one) - Number(other);
