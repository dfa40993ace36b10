import type { ScaleName } from "../types";
import type { ChartView } from "../view";
import { type Axes, type Axis, isNumeric, isWhole } from "./axes";

/** Where each axis goes: along x, telling curves or bars apart, or splitting into charts. */
export interface Layout {
  x: string | null;
  series: string[];
  facets: string[];
  /** Whether x is a ladder of numbers: curves; else bars. */
  numeric: boolean;
}

/** As a view's facet: no splitting at all. */
export const NO_FACET = "none";

/** More curves than this in one chart are distinguished by nobody. */
const MOST_SERIES = 8;

/**
 * The layout that a view asks for; what it leaves open, or asks in vain, is chosen. Each value of
 * the series is there once for each of the compared `sides`.
 */
export function layoutOf(axes: Axes, view: ChartView, sides = 1): Layout {
  const x = view.x !== undefined && axes.has(view.x) ? view.x : bestX(axes);
  const rest = [...axes.values()].filter(({ name }) => name !== x);
  const facets = wantedFacets(rest, view);
  let series = rest.filter(({ name }) => !facets.includes(name));
  const asked = series.filter(({ name }) => view.series?.includes(name));
  if (asked.length > 0) {
    facets.push(...namesOf(series.filter((axis) => !asked.includes(axis))));
    series = asked;
  } else if (view.facet !== NO_FACET) {
    const many = () => series.reduce((all, { values }) => all * values.length, sides);
    while (many() > MOST_SERIES) {
      // The modes of the cluster stay together: they are what is compared.
      const [widest] = mostValues(series.filter((axis) => !isWhole(axis)));
      if (widest === undefined) break;
      facets.push(widest.name);
      series = series.filter((axis) => axis !== widest);
    }
  }
  const numeric = x !== null && isNumeric(axes.get(x)?.values ?? []);
  return { x, series: namesOf(series), facets, numeric };
}

/** Whether cells may show it: numbers along x against one more axis whose values have an order. */
export function isGrid(axes: Axes, { x, series }: Layout): boolean {
  const [other, ...more] = series.map((name) => axes.get(name));
  const numbers = axes.get(x ?? "")?.values ?? [];
  return isNumeric(numbers) && other?.role === "ordered" && more.length === 0;
}

/** Rungs so many times apart from first to last are read on a logarithmic axis: two decades. */
const DECADES = 100;

/** Logarithmic where the rungs of a ladder span decades. */
export function bestXScale(values: Axis["values"]): ScaleName {
  const ladder = values.filter((value) => typeof value === "number").toSorted((a, b) => a - b);
  const [least = 0] = ladder;
  const most = ladder.at(-1) ?? 0;
  return least > 0 && most / least >= DECADES ? "log" : "linear";
}

function wantedFacets(rest: readonly Axis[], view: ChartView): string[] {
  if (view.facet === NO_FACET) return [];
  const asked = rest.filter(({ name }) => name === view.facet);
  const apart = rest.filter(({ name, role }) => role === "apart" && !view.series?.includes(name));
  return namesOf(asked.length > 0 ? asked : apart);
}

function bestX(axes: Axes): string | null {
  const fitting: ((axis: Axis) => boolean)[] = [
    ({ role, values }) => role === "curve" && isLadder(values),
    (axis) => axis.role !== "apart" && !isWhole(axis) && !isNumeric(axis.values),
    ({ values }) => isNumeric(values),
    ({ role }) => role !== "apart",
    () => true,
  ];
  const most = mostValues([...axes.values()]);
  for (const fits of fitting) {
    const found = most.find(fits);
    if (found !== undefined) return found.name;
  }
  return null;
}

/** Whether numbers are a ladder to climb: three of them, or two that are decades apart. */
function isLadder(values: Axis["values"]): boolean {
  return isNumeric(values) && (values.length > 2 || bestXScale(values) === "log");
}

const mostValues = (axes: readonly Axis[]) =>
  axes.toSorted((one, other) => other.values.length - one.values.length);

const namesOf = (axes: readonly Axis[]) => axes.map(({ name }) => name);
